package nodes

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/workspace"
)

// Columns holds the widths of a row's parts, in cells.
type columns struct {
	number, lanes, op, Name, Typ int
	More                         []extra // additional columns on the right
	hidden                       int     // how many of those have no room
}

// extra is an additional column with the width at which it is drawn.
type extra struct {
	*graph.Column
	width int
}

// Widths of the columns, in cells. A column of types and the additional columns are shown beside
// names of leastName cells, or beside whole names if all are shorter. Only the column by which rows
// are sorted may leave names less. Types longer than fairType are shown in full only where names
// leave the room. Lanes get what names and types leave, between minLanes and an eighth of the list;
// operators get a fifth, and more if names and types leave it.
const (
	minLanes   = 5 // of two cells each
	minOp      = 12
	leastName  = cells.LeastName
	sortedName = 16
	leastType  = 10
	fairType   = 24
	fairName   = 16 // also if all are shorter
	// leastMeasured is enough for a number, its unit and its color.
	leastMeasured = 10
	goodName      = 48 // before lanes get more than they need
	roomy         = 2  // blanks behind the longest text, if there is room
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
		c.lanes = min(w.Lanes(p.ws.FoldsConstants()).Widest, max(min(p.w/8, p.lanesBeside(c)), minLanes))
		lanes = max(2*c.lanes-1, 1)
	}
	p.share(&c, p.w-c.number-1-lanes-1-c.op-1)
	return c
}

// lanesBeside returns how many lanes leave room for names and types. A few rows of a large graph
// have far more lanes than most.
func (p *Pane) lanesBeside(c columns) int {
	name, _ := p.namesWidth()
	rest := c.number + c.op + min(name, goodName) + 3
	if typ := min(p.typesWidth(), fairType); typ > 0 {
		rest += typ + 1
	}
	return (p.w - rest + 1) / 2
}

// share divides cells among names, types and additional columns: what each of them needs at least,
// from left to right, and what is left to those that are cut.
func (p *Pane) share(c *columns, free int) {
	name, note := p.namesWidth()
	typ := p.typesWidth()
	c.Name = max(min(name, leastName, free), 1)
	free -= c.Name
	grow := func(column *int, to int) {
		by := max(min(to-*column, free), 0)
		*column += by
		free -= by
	}
	extras := p.extras()
	if least := min(typ, leastType); typ > 0 && free > least && !givesWayTo(extras, free, least+1) {
		c.Typ = least
		free -= least + 1
	}
	for _, e := range extras {
		if missing := e.width + 1 - free; missing > 0 && e.Name == p.ws.Listing.Order.Column && c.Name-missing >= sortedName {
			c.Name -= missing
			free += missing
		}
		if e.Step != nil && free > leastMeasured {
			e.width = min(e.width, free-1) // long are only the names of nodes that another one runs in
		}
		if free <= e.width {
			c.hidden++
			continue
		}
		c.More = append(c.More, e)
		free -= e.width + 1
	}
	if c.hidden > 0 {
		name = max(name, cells.Width(p.heading("name")+p.grouping(c.hidden)))
		grow(&c.Name, min(name, leastName))
	}
	if c.Typ > 0 {
		grow(&c.Typ, min(typ, fairType))
	}
	grow(&c.Name, name)
	if c.Typ > 0 {
		grow(&c.Typ, typ)
	}
	if c.op > 0 {
		grow(&c.op, p.ws.Outline.OpWidth)
	}
	grow(&c.Name, max(name+roomy, note+roomy, fairName))
	if c.Typ > 0 && len(c.More) > 0 {
		grow(&c.Typ, typ+roomy)
	}
	if c.Typ == 0 && len(c.More) == 0 {
		grow(&c.Name, p.w) // types are written behind the names
	}
}

// givesWayTo reports whether a column of types has to give way, because the first column of a
// measurement has room only if types have none. A measurement was asked for, and types are in the
// details.
func givesWayTo(extras []extra, free, types int) bool {
	for _, e := range extras {
		if need := min(e.width, leastMeasured); e.Step != nil {
			return free > need && free-types <= need
		}
	}
	return false
}

// namesWidth returns the width that names can use, alone and with the notes behind them. Until it
// is known, they can use all of the list.
func (p *Pane) namesWidth() (name, note int) {
	name, known := p.widths().Width("name")
	if !known {
		return p.w, p.w
	}
	if p.hasHead() {
		name = max(name, cells.Width(p.heading("name")+p.grouping(0)))
	}
	return max(name, 1), max(name, p.widths().Note)
}

// typesWidth returns the width that types can use, 0 if there is no column of types.
func (p *Pane) typesWidth() int {
	if !p.ws.Types.IsTyped(p.ws.Outline.Place) || !workspace.ShowsColumn(p.ws, "type") {
		return 0
	}
	typ, known := p.widths().Width("type")
	if !known {
		return fairType
	}
	if p.hasHead() && typ > 0 {
		typ = max(typ, len(p.heading("type")))
	}
	return typ
}

// extras returns the additional columns that have a text in some row, with the widths that they can
// use.
func (p *Pane) extras() []extra {
	if p.ws.Wiring == nil {
		return nil
	}
	var out []extra
	for _, c := range workspace.ExtraColumns(p.ws) {
		width, _ := p.widths().Width(c.Name)
		if width == 0 {
			continue
		}
		width = max(width, cells.Width(p.heading(c.Name)))
		if c.Step != nil {
			width += graph.SwatchWidth
		}
		out = append(out, extra{c, width})
	}
	return out
}

// widthsFound holds the widths of the texts of the columns, nil until they are known.
var widthsFound workspace.Slot[*graph.Widths]

func (p *Pane) widths() *graph.Widths { return *widthsFound.In(p.ws) }

// fitColumns reads how wide the texts of the shown columns are, if they have changed: those of some
// rows at once, so that the columns of a list that has just been opened hardly move, and all of a
// large model in the background.
func (p *Pane) fitColumns() tea.Cmd {
	w := p.ws.Wiring
	if w == nil {
		return nil
	}
	names := []string{"name", "type"}
	for _, c := range workspace.ExtraColumns(p.ws) {
		names = append(names, c.Name)
	}
	if p.widths().Fits(w, names) || p.asked.Fits(w, names) {
		return nil
	}
	guess, whole := graph.Guess(w, names)
	if whole || !p.widths().IsOf(w) {
		*widthsFound.In(p.ws) = guess
	}
	if whole {
		p.fitting.Stop()
		return nil
	}
	p.asked = guess
	read := func(ctx context.Context) *graph.Widths { return graph.WidthsOf(ctx, w, names) }
	return workspace.Ask(p.ws, &p.fitting, "fitting columns", read, func(s *graph.Widths) tea.Cmd {
		*widthsFound.In(p.ws) = s
		return nil
	})
}

// head draws the line of column names. Columns that do not fit are counted at the end.
func (p *Pane) head(c columns) string {
	lead := c.number + 1 + max(2*c.lanes-1, 1)
	s := cells.Fit(cells.FitRight("#", c.number), lead) + " "
	if c.op > 0 {
		s += cells.Fit(p.heading("op"), c.op)
	}
	s += " " + cells.Fit(p.heading("name")+p.grouping(c.hidden), c.Name)
	if c.Typ > 0 {
		s += " " + cells.Fit(p.heading("type"), c.Typ)
	}
	for _, e := range c.More {
		s += " " + e.Fit(p.heading(e.Name), e.width)
		if e.Step != nil {
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
func (p *Pane) grouping(hidden int) string {
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
	if hidden > 0 {
		out += fmt.Sprintf("  +%d hidden", hidden)
	}
	return out
}
