package nodes

import (
	"fmt"

	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/workspace"
)

// Columns holds the widths of a row's parts, in cells.
type columns struct {
	number, lanes, op, name, Typ int
	more                         []*graph.Column // additional columns on the right
}

// wideList is the width from which a list has room for a column of types beside the names.
const wideList = 64

// Minimum widths of the columns that grow with the list: lanes take an eighth of it, operators a
// fifth, types a quarter.
const (
	minLanes = 5 // of two cells each
	minOp    = 12
	minType  = 14
	maxType  = 28
	minName  = 12
)

// Columns returns the columns that fit into the pane.
func (p *Pane) Columns() columns {
	o, w := p.ws.Outline, p.ws.Wiring
	c := columns{number: len(fmt.Sprint(max(len(o.Nodes)-1, 0)))}
	if workspace.ShowsColumn(p.ws, "op") {
		c.op = min(o.OpWidth, max(p.w/5, minOp))
	}
	lanes := 1
	if w != nil && p.ws.Listing.Order.IsGraph() {
		c.lanes = min(w.Chart.Widest, max(p.w/8, minLanes))
		lanes = max(2*c.lanes-1, 1)
	}
	c.name = p.w - c.number - 1 - lanes - 1 - c.op - 1
	if p.w >= wideList && p.ws.Types.IsTyped(o.Place) && workspace.ShowsColumn(p.ws, "type") {
		c.Typ = min(max(p.w/4, minType), maxType)
		c.name -= c.Typ + 1
	}
	for _, extra := range workspace.ExtraColumns(p.ws) {
		if w != nil && c.name-extra.Width-1 >= minName {
			c.more = append(c.more, extra)
			c.name -= extra.Width + 1
		}
	}
	c.name = max(c.name, 1)
	return c
}

// head draws the line of column names. Columns that do not fit are named at the end.
func (p *Pane) head(c columns) string {
	lead := c.number + 1 + max(2*c.lanes-1, 1)
	s := cells.Fit(cells.FitRight("#", c.number), lead) + " "
	if c.op > 0 {
		s += cells.Fit(p.heading("op"), c.op)
	}
	s += " " + cells.Fit(p.heading("name")+p.grouping(), c.name)
	if c.Typ > 0 {
		s += " " + cells.Fit(p.heading("type"), c.Typ)
	}
	for _, extra := range c.more {
		s += " " + extra.Fit(p.heading(extra.Name))
		if extra.Step != nil {
			s += cells.Blanks(graph.SwatchWidth)
		}
	}
	return cells.Fit(s, p.w)
}

// heading returns the name of a column, with an arrow if rows are sorted by it.
func (p *Pane) heading(name string) string {
	switch o := p.ws.Listing.Order; {
	case o.Column != name:
		return name
	case o.Descending:
		return name + "↓"
	default:
		return name + "↑"
	}
}

// grouping returns the end of the headings: by what rows are sorted and grouped, whether only
// matches are shown, and how many columns did not fit.
func (p *Pane) grouping() string {
	var out string
	o := p.ws.Listing.Order
	if c := graph.ColumnNamed(o.Column); c != nil && c.Width == 0 && !workspace.ShowsColumn(p.ws, c.Name) {
		out += "  " + p.heading(c.Name)
	}
	if o.Group != "" {
		out += "  by " + o.Group
	}
	if o.Only {
		out += "  matches only"
	}
	if n := len(workspace.ExtraColumns(p.ws)) - len(p.Columns().more); n > 0 {
		out += fmt.Sprintf("  +%d hidden", n)
	}
	return out
}
