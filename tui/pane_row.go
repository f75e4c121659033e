package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lathe/graphops"
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// rowText is a row's parts as text. Together they are as wide as the list.
type rowText struct {
	number, before, glyph, after, lead, op, name, taps, gap, typ string
}

// rowLooks are the styles of these parts.
type rowLooks struct{ number, lane, glyph, op, name, tap, typ theme.Paint }

func (p *nodesPane) line(row int, c columns, focused bool) string {
	t, l := p.text(row, c), p.looks(row, focused)
	return l.number.On(t.number) + l.lane.On(t.before) + l.glyph.On(t.glyph) + l.lane.On(t.after) + l.op.On(t.lead+t.op) +
		l.name.On(t.name) + l.tap.On(t.taps) + t.gap + l.typ.On(t.typ)
}

// looks styles a row. Of the selected one only operator and name stand out, and
// the mark in front of them: lanes go on through it, and a move redraws little.
func (p *nodesPane) looks(row int, focused bool) rowLooks {
	ws, st := p.ws, p.ws.styles
	l := rowLooks{st.Number, st.Lane, st.Node, st.Op, st.Name, st.Tap, st.Type}
	if ws.marks.drops(row) {
		d := st.Dropped
		l = rowLooks{d, d, d, d, d, d, d}
	}
	if ws.isMarked(row) {
		l.glyph = st.Mark
	}
	if ws.search.matches(row) {
		l.name = st.Match
	}
	switch {
	case row != ws.rows.Cursor:
	case focused:
		l.op, l.name = st.Selected, st.Selected
	default:
		l.op, l.name = st.Idle, st.Idle
	}
	return l
}

func (p *nodesPane) text(row int, c columns) rowText {
	ws := p.ws
	k, i := ws.outline.at(row)
	t := rowText{glyph: p.glyph(row, k), lead: " ", op: cells.Fit(ws.outline.op(row), c.op) + " "}
	if row == ws.rows.Cursor {
		t.lead = "›"
	}
	number := ""
	if k == kindNode {
		number = fmt.Sprint(i)
	}
	t.number = cells.FitRight(number, c.number) + " "
	if c.lanes > 0 {
		t.before, t.after = ws.wiring.chart.Rows[row].Draw(c.lanes)
	}
	t.taps = p.taps(row, c.name/2)
	room := c.name - ansi.StringWidth(t.taps)
	t.name = cells.CutFront(ws.outline.name(row), room)
	t.gap = cells.Blanks(room - ansi.StringWidth(t.name))
	typ := p.typ(row)
	switch spare := len(t.gap) - ansi.StringWidth(typ); {
	case c.typ > 0:
		t.typ = " " + cells.Fit(typ, c.typ)
	case spare >= 2: // without a column it stands where the name leaves room
		t.gap, t.typ = cells.Blanks(spare), typ
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
		b.WriteString(" ◁" + cells.Label(name[strings.LastIndexByte(name, '/')+1:]))
	}
	return cells.Cut(b.String(), w)
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
		return t.String() + " " + cells.Label(t.Shape.String())
	default:
		return t.String()
	}
}
