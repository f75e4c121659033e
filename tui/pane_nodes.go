package tui

import (
	"fmt"
	"lathe/tui/cells"
	"lathe/tui/list"

	tea "charm.land/bubbletea/v2"
)

// nodesPane is the list of rows with their lanes. Only the rows that show are
// made and styled, so its work does not depend on the size of the model.
type nodesPane struct {
	ws   *workspace
	w, h int
}

func (p *nodesPane) place() place            { return placeNodes }
func (p *nodesPane) refusal(a action) string { return "" }

func (p *nodesPane) do(a action) tea.Cmd {
	at := p.ws.rows.Cursor
	if a == actionTop || a == actionBottom {
		p.ws.trail.leave(at)
	}
	p.ws.rows.Act(list.Motion(a))
	return nil
}

// sync keeps the height while the pane does not show, and with it the selection
// in its place.
func (p *nodesPane) sync(w, h int) {
	p.w, p.h = w, h
	if h > 0 && h != p.ws.rows.Height {
		p.ws.rows.Resize(h)
	}
}

func (p *nodesPane) view(focused bool) []string {
	lines := make([]string, 0, p.h)
	c := p.columns()
	from, to := p.ws.rows.Visible()
	for row := from; row < to && len(lines) < p.h; row++ {
		lines = append(lines, p.line(row, c, focused))
	}
	if len(lines) == 0 {
		lines = append(lines, p.ws.styles.Faint.On(cells.Cut("  the graph is empty: no inputs, nodes or outputs", p.w)))
	}
	return cells.Block(lines, p.w, p.h)
}

// columns are the widths of a row's parts, in cells.
type columns struct{ number, lanes, op, name, typ int }

// wideList is the width from which a list has room for a column of types beside
// the names.
const wideList = 64

// Least widths of the columns that grow with the list: an eighth of it for
// lanes, a fifth for operators, a quarter for types.
const (
	minLanes = 5 // of two cells each
	minOp    = 12
	minType  = 14
	maxType  = 28
)

func (p *nodesPane) columns() columns {
	o, w := p.ws.outline, p.ws.wiring
	c := columns{number: len(fmt.Sprint(max(len(o.nodes)-1, 0))), op: min(o.opWidth, max(p.w/5, minOp))}
	lanes, typ := 1, 0
	if w != nil {
		c.lanes = min(w.chart.Widest, max(p.w/8, minLanes))
		lanes = max(2*c.lanes-1, 1)
	}
	if p.w >= wideList && (w == nil || w.typed) {
		c.typ = min(max(p.w/4, minType), maxType)
		typ = c.typ + 1
	}
	c.name = max(p.w-c.number-1-lanes-1-c.op-1-typ, 1)
	return c
}
