package nodes

import (
	"fmt"
	"strings"

	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/shell"
	"lathe/tui/theme"
	"lathe/tui/values"
	"lathe/tui/workspace"
)

// rowText holds the parts of a row as text. Together they are as wide as the list.
type rowText struct {
	number, before, glyph, after, lead, op, name, taps, notes, gap, typ string
}

// rowLooks holds the styles of these parts.
type rowLooks struct{ number, lane, glyph, op, name, tap, typ theme.Paint }

func (p *Pane) line(line int, c columns, focused bool) string {
	if g := p.ws.GroupAt(line); g != nil {
		return p.groupLine(g, line, focused)
	}
	row := p.ws.RowAt(line)
	t := p.text(line, row, c, focused)
	if line == p.ws.Rows.Cursor {
		return p.bar(t, row, c, focused)
	}
	l := p.looks(line, row)
	lane := l.lane
	if strings.TrimLeft(t.after, " ") == "" {
		lane = l.op // blanks have no colour, and a change of style takes bytes
	}
	return l.number.On(t.number) + l.lane.On(t.before) + l.glyph.On(t.glyph) + lane.On(t.after) + l.op.On(t.lead+t.op) +
		l.name.On(t.name) + l.tap.On(t.taps) + l.typ.On(t.notes) + t.gap + p.behind(t.typ, row, c, l.typ)
}

// bar draws the selected row in one style from the first column to the last, so that it is seen at
// once. One style is also the shortest to send. Cells behind the last column are not drawn, because
// each would be sent twice for every move.
func (p *Pane) bar(t rowText, row int, c columns, focused bool) string {
	looks := p.ws.Styles.Idle
	if focused {
		looks = p.ws.Styles.Selected
	}
	plain := t.number + t.before + t.glyph + t.after + t.lead + t.op + t.name + t.taps + t.notes + t.gap + t.typ
	return p.behind(plain, row, c, looks)
}

// behind draws the end of a row: the type in plain, and after it the additional columns. The cells
// of a color scale have their own style.
func (p *Pane) behind(plain string, row int, c columns, looks theme.Paint) string {
	var done string
	for _, e := range c.More {
		plain += " " + e.Fit(e.Text(p.ws.Wiring, row), e.width)
		if e.Step != nil {
			done += looks.On(plain) + workspace.Swatch(p.ws, e.Step(p.ws.Wiring, row))
			plain = ""
		}
	}
	return done + looks.On(plain)
}

// groupLine draws the header of a group: the number of rows, and the total of their constants.
func (p *Pane) groupLine(g *graph.Group, line int, focused bool) string {
	st, mark := p.ws.Styles, "▸ "
	if p.ws.Listing.Open[g.Name] {
		mark = "▾ "
	}
	facts := text.Count(int64(len(g.Rows)))
	if g.Params > 0 {
		facts += fmt.Sprintf("  %s params  %s", text.Short(g.Params), text.Bytes(g.Bytes))
	}
	name := cells.Cut(mark+g.Name+"  ", p.w)
	facts = cells.Fit(facts, p.w-cells.Width(name))
	switch {
	case line != p.ws.Rows.Cursor:
		return st.Heading.On(name) + st.Faint.On(facts)
	case focused:
		return st.Selected.On(name + facts)
	default:
		return st.Idle.On(name + facts)
	}
}

// looks returns the styles of a row that is not selected.
func (p *Pane) looks(line, row int) rowLooks {
	ws, st := p.ws, p.ws.Styles
	l := rowLooks{st.Number, st.Lane, st.Node, st.Op, st.Name, st.Tap, st.Type}
	if kind, ok := ws.Outline.OpKind(row); ok {
		l.op, l.glyph = st.Kinds[kind], st.Kinds[kind]
	}
	if ws.Drops(row) {
		d := st.Dropped
		l = rowLooks{d, d, d, d, d, d, d}
	}
	switch {
	case ws.IsMarked(row):
		l.glyph = st.Mark
	case values.IsOdd(ws, row), ws.IsFaulty(row):
		l.glyph = st.Bad
	}
	if ws.Found.Matches(row) {
		l.name = st.Match
	}
	if ws.InSpan(line) {
		l.number, l.op = st.Range, st.Range
	}
	return l
}

func (p *Pane) text(line, row int, c columns, focused bool) rowText {
	ws := p.ws
	k, i := ws.Outline.At(row)
	t := rowText{glyph: p.glyph(row, k), lead: " "}
	if c.op > 0 {
		t.op = cells.Fit(ws.Outline.Op(row), c.op)
	}
	t.op += " "
	switch {
	case line == ws.Rows.Cursor:
		t.lead = shell.CursorSign(focused)
	case ws.InSpan(line):
		t.lead = "▌"
	}
	number := ""
	if k == graph.KindNode {
		number = fmt.Sprint(i)
	}
	t.number = cells.FitRight(number, c.number) + " "
	if c.lanes > 0 {
		t.before, t.after = ws.Wiring.Lanes(ws.FoldsConstants()).Rows[row].Draw(c.lanes)
		t.taps = p.taps(row, c.Name-min(cells.Width(ws.Outline.Name(row)), max(c.Name/2, leastName)))
	}
	room := c.Name - cells.Width(t.taps)
	t.name = cells.CutNodeName(ws.Outline.Name(row), ws.Outline.Op(row), room)
	room -= cells.Width(t.name)
	t.gap = cells.Blanks(room)
	p.addType(&t, row, c)
	p.addConstants(&t, row)
	return t
}

// addType adds the type of a row. In a list without a column of types, it is written after the name
// if there is room.
func (p *Pane) addType(t *rowText, row int, c columns) {
	if p.ws.Wiring == nil || !workspace.ShowsColumn(p.ws, "type") {
		t.typ = cells.Blanks(min(c.Typ, 1) + c.Typ)
		return
	}
	typ := p.ws.Wiring.RowType(row)
	switch spare := len(t.gap) - cells.Width(typ); {
	case c.Typ > 0:
		t.typ = " " + cells.Fit(graph.CutType(typ, c.Typ), c.Typ)
	case spare >= 2:
		t.gap, t.typ = cells.Blanks(spare), typ
	}
}

// addConstants writes which constants are folded into a row, if there is room behind its name.
func (p *Pane) addConstants(t *rowText, row int) {
	if p.ws.Wiring == nil || !p.ws.FoldsConstants() {
		return
	}
	behind := 0 // blanks before a type that follows
	if t.typ != "" && !strings.HasPrefix(t.typ, " ") {
		behind = graph.NoteGap
	}
	words, room := p.ws.Wiring.ConstantsText(row), len(t.gap)-graph.NoteGap-behind
	if words == "" || room < fewNote {
		return
	}
	words = cells.Cut(words, room)
	t.notes = cells.Blanks(graph.NoteGap) + words
	t.gap = cells.Blanks(room - cells.Width(words) + behind)
}

// fewNote is the least room in which constants are named.
const fewNote = 6

// glyph returns the sign before a row. Marks, NaN or infinities in its values, and errors have
// signs that take precedence over the kind of the row.
func (p *Pane) glyph(row int, k graph.Kind) string {
	switch {
	case p.ws.IsMarked(row):
		return "◆"
	case values.IsOdd(p.ws, row):
		return "!"
	case p.ws.IsFaulty(row):
		return "✗"
	case k == graph.KindInput:
		return "○"
	case k == graph.KindOutput:
		return "◎"
	case workspace.IsHolder(p.ws, row):
		return "▣"
	default:
		return "●"
	}
}

// taps returns the names of the values that a row reads but that have no lane, each after a "◁".
func (p *Pane) taps(row, w int) string {
	if p.ws.Wiring == nil {
		return ""
	}
	var b strings.Builder
	for _, name := range p.ws.Wiring.TapsIn(p.ws.Wiring.Lanes(p.ws.FoldsConstants()), row) {
		b.WriteString(graph.TapText(name))
	}
	if w < fewTap {
		return ""
	}
	return cells.Cut(b.String(), w)
}

// fewTap is the least room in which values without a lane are named. The detail names them too.
const fewTap = 4
