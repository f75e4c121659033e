package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lathe/graphops"
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
	at := p.ws.rows.cursor
	if a == actionTop || a == actionBottom {
		p.ws.trail.leave(at)
	}
	p.ws.rows.act(a)
	return nil
}

// sync keeps the height while the pane does not show, and with it the selection
// in its place.
func (p *nodesPane) sync(w, h int) {
	p.w, p.h = w, h
	if h > 0 && h != p.ws.rows.height {
		p.ws.rows.resize(h)
	}
}

func (p *nodesPane) view(focused bool) []string {
	lines := make([]string, 0, p.h)
	c := p.columns()
	from, to := p.ws.rows.visible()
	for row := from; row < to && len(lines) < p.h; row++ {
		lines = append(lines, p.line(row, c, focused))
	}
	if len(lines) == 0 {
		lines = append(lines, p.ws.styles.faint.on(cut("  the graph is empty: no inputs, nodes or outputs", p.w)))
	}
	return block(lines, p.w, p.h)
}

// columns are the widths of a row's parts, in cells.
type columns struct{ number, lanes, op, name, typ int }

// wideList is the width from which a list has room for types beside the names.
const wideList = 64

// minLaneColumns is what the lanes may take in a narrow list; a wide one gives
// them a quarter of its width.
const minLaneColumns = 5

func (p *nodesPane) columns() columns {
	o := p.ws.outline
	c := columns{number: len(fmt.Sprint(max(len(o.nodes)-1, 0))), op: o.opWidth}
	if p.ws.wiring != nil {
		c.lanes = min(p.ws.wiring.chart.widest, max(p.w/8, minLaneColumns))
	}
	if p.w >= wideList {
		c.typ = min(max(p.w/4, 14), 28)
	}
	lanes := max(2*c.lanes, 2)
	c.name = max(p.w-1-c.number-1-lanes-c.op-1-c.typ-1, 1)
	return c
}

// rowText is a row's parts as text, each as wide as its column.
type rowText struct {
	lead, number, before, glyph, after, op, name, taps, typ string
}

func (p *nodesPane) line(row int, c columns, focused bool) string {
	ws, st := p.ws, p.ws.styles
	t := p.text(row, c)
	whole := paint("")
	switch {
	case row == ws.rows.cursor && focused:
		whole = st.selected
	case row == ws.rows.cursor:
		whole = st.idle
	case ws.marks.drops(row):
		whole = st.dropped
	}
	if whole != "" {
		return whole.on(fit(t.lead+t.number+t.before+t.glyph+t.after+t.op+t.name+t.taps+t.typ, p.w))
	}
	glyph, name := st.node, st.name
	if ws.isMarked(row) {
		glyph = st.mark
	}
	if ws.search.matches(row) {
		name = st.match
	}
	return t.lead + st.number.on(t.number) + st.lane.on(t.before) + glyph.on(t.glyph) + st.lane.on(t.after) +
		st.op.on(t.op) + name.on(t.name) + st.tap.on(t.taps) + st.typ.on(t.typ)
}

func (p *nodesPane) text(row int, c columns) rowText {
	ws := p.ws
	k, i := ws.outline.at(row)
	t := rowText{lead: " ", glyph: p.glyph(row, k), after: " ", op: fit(ws.outline.op(row), c.op) + " "}
	if row == ws.rows.cursor {
		t.lead = "›"
	}
	number := ""
	if k == kindNode {
		number = fmt.Sprint(i)
	}
	t.number = fitRight(number, c.number) + " "
	if c.lanes > 0 {
		t.before, t.after = ws.wiring.chart.rows[row].draw(c.lanes)
		t.after += " "
	}
	taps := p.taps(row, c.name/2)
	name := cutFront(ws.outline.name(row), c.name-ansi.StringWidth(taps))
	t.name = name + blanks(c.name-ansi.StringWidth(name)-ansi.StringWidth(taps))
	if taps != "" {
		// Taps stand beside the name, not at the edge of the column.
		t.name, t.taps = name, taps+blanks(c.name-ansi.StringWidth(name)-ansi.StringWidth(taps))
	}
	if c.typ > 0 {
		t.typ = " " + fit(p.typ(row), c.typ)
	}
	return t
}

// glyph marks what a row is.
func (p *nodesPane) glyph(row int, k kind) string {
	switch {
	case p.ws.isMarked(row):
		return "◆"
	case k == kindInput:
		return "○"
	case k == kindOutput:
		return "◎"
	default:
		return "●"
	}
}

// taps names what a row reads from far away.
func (p *nodesPane) taps(row, w int) string {
	if p.ws.wiring == nil {
		return ""
	}
	var b strings.Builder
	for _, name := range p.ws.wiring.taps(row) {
		b.WriteString(" ◁" + label(name[strings.LastIndexByte(name, '/')+1:]))
	}
	return cut(b.String(), w)
}

// typ is the type of the first value that a row makes, or of the output that it
// stands for, as far as the model says.
func (p *nodesPane) typ(row int) string {
	if p.ws.wiring == nil {
		return ""
	}
	names := p.ws.outline.makes(row)
	if len(names) == 0 {
		names = p.ws.outline.reads(row)
	}
	if len(names) == 0 {
		return ""
	}
	return typeText(p.ws.wiring.typeOf(names[0]))
}

// typeText writes a type with its shape, "" where nothing is known.
func typeText(t graphops.Type) string {
	switch {
	case t.Kind == graphops.TypeUnknown:
		return ""
	case t.Kind == graphops.TypeTensor, t.Kind == graphops.TypeSparse:
		return t.String() + " " + label(t.Shape.String())
	default:
		return t.String()
	}
}
