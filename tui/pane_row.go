package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lathe/graphops"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// columns are the widths of a row's parts, in cells.
type columns struct {
	number, lanes, op, name, typ int
	more                         []*column // right of these
}

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
	minName  = 12
)

func (p *nodesPane) columns() columns {
	o, w := p.ws.outline, p.ws.wiring
	c := columns{number: len(fmt.Sprint(max(len(o.nodes)-1, 0)))}
	if p.ws.showsColumn("op") {
		c.op = min(o.opWidth, max(p.w/5, minOp))
	}
	lanes := 1
	if w != nil && p.ws.listing.order.isGraph() {
		c.lanes = min(w.chart.Widest, max(p.w/8, minLanes))
		lanes = max(2*c.lanes-1, 1)
	}
	c.name = p.w - c.number - 1 - lanes - 1 - c.op - 1
	if p.w >= wideList && (w == nil || w.typed) && p.ws.showsColumn("type") {
		c.typ = min(max(p.w/4, minType), maxType)
		c.name -= c.typ + 1
	}
	for _, extra := range p.ws.extraColumns() {
		if w != nil && c.name-extra.width-1 >= minName {
			c.more = append(c.more, extra)
			c.name -= extra.width + 1
		}
	}
	c.name = max(c.name, 1)
	return c
}

func (ws *workspace) showsColumn(name string) bool { return slices.Contains(ws.columns, name) }

// extraColumns are the columns of a width of their own that were chosen.
func (ws *workspace) extraColumns() []*column {
	var out []*column
	for _, name := range ws.columns {
		if c := columnNamed(name); c != nil && c.width > 0 {
			out = append(out, c)
		}
	}
	return out
}

// head names the columns. Those that found no room are named at the end.
func (p *nodesPane) head(c columns) string {
	lead := c.number + 1 + max(2*c.lanes-1, 1)
	s := cells.Fit(cells.FitRight("#", c.number), lead) + " "
	if c.op > 0 {
		s += cells.Fit(p.heading("op"), c.op)
	}
	s += " " + cells.Fit(p.heading("name")+p.grouping(), c.name)
	if c.typ > 0 {
		s += " " + cells.Fit(p.heading("type"), c.typ)
	}
	for _, extra := range c.more {
		s += " " + extra.fit(p.heading(extra.name))
	}
	return cells.Fit(s, p.w)
}

// heading is the name of a column, with an arrow where rows are sorted by it.
func (p *nodesPane) heading(name string) string {
	switch o := p.ws.listing.order; {
	case o.column != name:
		return name
	case o.descending:
		return name + "↓"
	default:
		return name + "↑"
	}
}

// grouping says what is not as the graph has it, and which columns found no room.
func (p *nodesPane) grouping() string {
	var out string
	o := p.ws.listing.order
	if o.group != "" {
		out += "  by " + o.group
	}
	if o.only {
		out += "  matches only"
	}
	if n := len(p.ws.extraColumns()) - len(p.columns().more); n > 0 {
		out += fmt.Sprintf("  +%d hidden", n)
	}
	return out
}

// fit brings text to the column's width.
func (c *column) fit(s string) string {
	if c.right {
		return cells.FitRight(s, c.width)
	}
	return cells.Fit(s, c.width)
}

// rowText is a row's parts as text. Together they are as wide as the list.
type rowText struct {
	number, before, glyph, after, lead, op, name, taps, gap, typ, more string
}

// rowLooks are the styles of these parts.
type rowLooks struct{ number, lane, glyph, op, name, tap, typ theme.Paint }

func (p *nodesPane) line(line int, c columns, focused bool) string {
	if g := p.ws.groupAt(line); g != nil {
		return p.groupLine(g, line, focused)
	}
	row := p.ws.rowAt(line)
	t, l := p.text(line, row, c), p.looks(line, row, focused)
	return l.number.On(t.number) + l.lane.On(t.before) + l.glyph.On(t.glyph) + l.lane.On(t.after) + l.op.On(t.lead+t.op) +
		l.name.On(t.name) + l.tap.On(t.taps) + t.gap + l.typ.On(t.typ+t.more)
}

// groupLine heads a group: how many rows, and what their constants amount to.
func (p *nodesPane) groupLine(g *group, line int, focused bool) string {
	st, mark := p.ws.styles, "▸ "
	if p.ws.listing.open[g.name] {
		mark = "▾ "
	}
	facts := text.Count(int64(len(g.rows)))
	if g.params > 0 {
		facts += fmt.Sprintf("  %s params  %s", text.Short(g.params), text.Bytes(g.bytes))
	}
	name := cells.Cut(mark+g.name+"  ", p.w)
	looks := st.Heading
	switch {
	case line != p.ws.rows.Cursor:
	case focused:
		looks = st.Selected
	default:
		looks = st.Idle
	}
	return looks.On(name) + st.Faint.On(cells.Fit(facts, p.w-ansi.StringWidth(name)))
}

// looks styles a row. Of the selected one only operator and name stand out, and
// the mark in front of them: lanes go on through it, and a move redraws little.
func (p *nodesPane) looks(line, row int, focused bool) rowLooks {
	ws, st := p.ws, p.ws.styles
	l := rowLooks{st.Number, st.Lane, st.Node, st.Op, st.Name, st.Tap, st.Type}
	if ws.drops(row) {
		d := st.Dropped
		l = rowLooks{d, d, d, d, d, d, d}
	}
	if ws.isMarked(row) {
		l.glyph = st.Mark
	}
	if ws.found.matches(row) {
		l.name = st.Match
	}
	if ws.inSpan(line) {
		l.number, l.op = st.Range, st.Range
	}
	switch {
	case line != ws.rows.Cursor:
	case focused:
		l.op, l.name = st.Selected, st.Selected
	default:
		l.op, l.name = st.Idle, st.Idle
	}
	return l
}

func (p *nodesPane) text(line, row int, c columns) rowText {
	ws := p.ws
	k, i := ws.outline.at(row)
	t := rowText{glyph: p.glyph(row, k), lead: " "}
	if c.op > 0 {
		t.op = cells.Fit(ws.outline.op(row), c.op)
	}
	t.op += " "
	switch {
	case line == ws.rows.Cursor:
		t.lead = "›"
	case ws.inSpan(line):
		t.lead = "▌"
	}
	number := ""
	if k == kindNode {
		number = fmt.Sprint(i)
	}
	t.number = cells.FitRight(number, c.number) + " "
	if c.lanes > 0 {
		t.before, t.after = ws.wiring.chart.Rows[row].Draw(c.lanes)
	}
	if c.lanes > 0 {
		t.taps = p.taps(row, c.name/2)
	}
	room := c.name - ansi.StringWidth(t.taps)
	t.name = cells.CutFront(ws.outline.name(row), room)
	t.gap = cells.Blanks(room - ansi.StringWidth(t.name))
	p.addType(&t, row, c)
	for _, extra := range c.more {
		t.more += " " + extra.fit(extra.text(ws.wiring, row))
	}
	return t
}

// addType adds the type, without a column of its own where the name leaves room.
func (p *nodesPane) addType(t *rowText, row int, c columns) {
	if p.ws.wiring == nil || !p.ws.showsColumn("type") {
		t.typ = cells.Blanks(min(c.typ, 1) + c.typ)
		return
	}
	typ := p.ws.wiring.typeText(row)
	switch spare := len(t.gap) - ansi.StringWidth(typ); {
	case c.typ > 0:
		t.typ = " " + cells.Fit(typ, c.typ)
	case spare >= 2:
		t.gap, t.typ = cells.Blanks(spare), typ
	}
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
	case p.ws.isHolder(row):
		return "▣"
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
		b.WriteString(" ◁" + cells.Label(name[strings.LastIndexByte(name, '/')+1:]))
	}
	return cells.Cut(b.String(), w)
}

// typeText writes a type with its shape, "" where nothing is known.
func typeText(t graphops.Type) string {
	switch {
	case t.Kind == graphops.TypeUnknown:
		return ""
	case t.Kind == graphops.TypeTensor, t.Kind == graphops.TypeSparse:
		return t.String() + " " + cells.Label(t.Shape.String())
	default:
		return t.String()
	}
}
