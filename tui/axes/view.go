package axes

import (
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/shell"
)

// View implements shell.Pane.
func (p *Pane) View(focused bool) []string {
	st := p.ws.Styles
	var lines []string
	for i, to := p.Rows.Visible(); i < to; i++ {
		lines = append(lines, p.line(i, focused))
	}
	if len(p.Lines) == 0 {
		lines = append(lines, st.Faint.On(cells.Cut(" "+p.emptyRefusal(), p.w)))
	}
	lines = append(cells.Block(lines, p.w, p.h), st.Frame.On(cells.Rule(p.w)))
	for _, words := range p.tell() {
		lines = append(lines, " "+cells.Cut(words, p.w-1))
	}
	lines = append(lines, p.viewDemands(p.h+p.foot-len(lines))...)
	return cells.Block(lines, p.w, p.h+p.foot)
}

// besideAxes is the number of cells of a line that neither the name nor the type takes.
const besideAxes = 5

// moreAxes follows the last axis that is shown if there are more.
const moreAxes = "×…"

// leastAxes is the room that the axes of a value have beside a long name.
const leastAxes = 8

// axesGlyphs are the marks that the list uses for the same rows.
var axesGlyphs = map[string]string{"input": "○", "output": "◎"}

// line draws a value with its axes, or a symbol.
func (p *Pane) line(i int, focused bool) string {
	st, l := p.ws.Styles, p.Lines[i]
	lead, looks := " ", st.Name
	if i == p.Rows.Cursor {
		lead, looks = shell.CursorSign(focused), st.Idle
		if focused {
			looks = st.Selected
		}
	}
	axes, width := p.axes(i, focused)
	room := max(p.w-width-besideAxes, 1)
	name := cells.CutFront(cells.Label(l.Name), room)
	gap := cells.Blanks(room - cells.Width(name) + 1)
	return st.Node.On(cells.Fit(axesGlyphs[l.What], 1)) + " " + lead + looks.On(name) + gap + axes + " "
}

// axes draws the type of a value and highlights the axis at the cursor and the marked axes; width
// counts the cells without the styles.
func (p *Pane) axes(i int, focused bool) (s string, width int) {
	st, l := p.ws.Styles, p.Lines[i]
	if l.isSymbol() {
		size := symbolSize(p.ws, l.Name)
		return st.Type.On(size), cells.Width(size)
	}
	if l.typ.Shape == nil {
		t := cells.Cut(graph.TypeText(l.typ), p.w/2)
		return st.Type.On(t), cells.Width(t)
	}
	from, to := p.shownAxes(i)
	var b strings.Builder
	put := func(words string) { b.WriteString(st.Type.On(words)); width += cells.Width(words) }
	put(l.typ.String() + " ")
	if len(l.typ.Shape) == 0 {
		put("scalar")
	}
	if from > 0 {
		put("…×")
	}
	for k := from; k < to; k++ {
		if k > from {
			put("×")
		}
		word := cells.Cut(cells.Label(l.typ.Shape.Size(k)), maxAxis)
		width += cells.Width(word)
		looks := st.Type
		switch {
		case focused && i == p.Rows.Cursor && k == p.Axis:
			looks = st.Selected
		case p.Marked[AxisRef{l.Name, k}]:
			looks = st.Mark
		case l.typ.Shape[k].Symbol != "":
			looks = st.Key
		}
		b.WriteString(looks.On(word))
	}
	if to < len(l.typ.Shape) {
		put(moreAxes)
	}
	return b.String(), width
}

// maxAxis is the maximum number of cells for the size of an axis; the lines below the list show it
// in full.
const maxAxis = 20

// shownAxes returns the range of axes of line i that are shown: those that the name leaves, and at
// least one. On the line at the cursor, the range includes the axis at the cursor.
func (p *Pane) shownAxes(i int) (from, to int) {
	l := p.Lines[i]
	name := min(cells.Width(cells.Label(l.Name)), cells.LeastName)
	room := max(p.w-len(l.typ.String())-1-besideAxes-name-cells.Width(moreAxes), leastAxes)
	width := func(k int) int { return min(cells.Width(cells.Label(l.typ.Shape[k].String())), maxAxis) + 1 }
	at := 0
	if i == p.Rows.Cursor {
		at = p.Axis
	}
	used := 0
	for to = 0; to < len(l.typ.Shape); to++ {
		used += width(to)
		for used > room && from < to && from < at {
			used -= width(from)
			from++
		}
		if used > room && to > at {
			break
		}
	}
	return from, to
}

// tell describes what is at the cursor.
func (p *Pane) tell() []string {
	l := p.at()
	switch {
	case l.What == "":
		return nil
	case l.isSymbol():
		return append([]string{"symbol " + cells.Label(l.Name), symbolSize(p.ws, l.Name) + " for costs"}, p.tellFit()...)
	}
	out := []string{l.What + " " + cells.Label(l.Name)}
	if d, ok := p.dim(); ok {
		out = append(out, fmt.Sprintf("axis %d of %d: %s", p.Axis, len(p.dims()), sizeSaid(d)))
	}
	if n := len(p.Marked); n > 0 {
		out = append(out, text.Count(int64(n))+" marked")
	}
	return append(out, p.tellFit()...)
}

// sizeSaid describes a size in words.
func sizeSaid(d graphops.Dim) string {
	switch {
	case d.IsFixed():
		return d.String() + ", a number"
	case d.Symbol == "":
		return "its size is not declared"
	case isSymbol(d):
		return cells.Label(d.String()) + ", a symbol"
	default:
		return cells.Label(d.String()) + ", computed from symbols"
	}
}

// Said returns the text of the lines below the list.
func (p *Pane) Said() string {
	if len(p.Lines) == 0 {
		return p.emptyRefusal()
	}
	words := p.tell()
	if fit := p.Fit(); fit != nil {
		words = append(words, text.Plural(len(fit.Demands), "demand"))
	}
	return strings.Join(words, ", ") + fmt.Sprintf(", line %d of %d", p.Rows.Cursor+1, len(p.Lines))
}
