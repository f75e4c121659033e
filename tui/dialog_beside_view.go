package tui

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"lathe/graphops/tensor"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/plot"
	"lathe/tui/tensors"
	"lathe/tui/theme"
)

// besideHead is the number of lines above a picture: the views and the metrics.
const besideHead = 2

func (d *besideDialog) bodyHeight() int { return max(d.h-besideHead, 1) }

func (d *besideDialog) View(bool) []string {
	st := &d.WS.Styles
	lines := []string{d.strip()}
	switch {
	case d.pair == nil:
		lines = append(lines, "")
		for _, s := range d.waiting() {
			lines = append(lines, cells.Cut(s, d.w))
		}
	case d.pair.why != "":
		lines = append(append(lines, ""), cells.WrapWords(d.pair.why, d.w)...)
	default:
		lines = append(lines, st.Faint.On(cells.Cut(d.figures(), d.w)))
		lines = append(lines, d.body...)
	}
	return cells.Block(lines, d.w, d.h)
}

// figures returns the error metrics of the two values. If the largest error differs from that of
// the comparison, it says so: another run may give other results.
func (d *besideDialog) figures() string {
	want := d.row.figures[figMaxAbs]
	if d.of.Output == "" && !d.of.Local {
		want = d.row.figures[figAccumulatedAbs]
	}
	if got := d.pair.beside.Metrics.MaxAbs; want.has && want.x != got && !math.IsNaN(want.x) {
		return fmt.Sprintf("%s; the table has max abs %s: this run gave another result", d.pair.gist(), graph.Brief(want.x))
	}
	return d.pair.gist()
}

// strip lists the names of the views. The current view is in brackets.
func (d *besideDialog) strip() string {
	st := &d.WS.Styles
	var words []string
	for i, title := range besideTitles {
		if besideView(i) == d.shown {
			words = append(words, st.Key.On("["+title+"]"))
		} else {
			words = append(words, st.Faint.On(" "+title+" "))
		}
	}
	return cells.Cut(strings.Join(words, " "), d.w)
}

// draw returns the lines of the visible view.
func (d *besideDialog) draw(a *tensors.Answered) []string {
	p, h := d.pair, d.bodyHeight()
	st := &d.WS.Styles
	faint := func(s string) []string { return []string{st.Faint.On(cells.Cut(s, d.w))} }
	switch {
	case p.beside.Metrics.Total == 0:
		return faint("the value has no elements")
	case d.shown == besideHeat:
		return d.heatMap(a, h)
	case p.beside.Metrics.Finite == 0:
		return faint("no pair of numbers is finite")
	case d.shown == besideErrors && len(p.beside.Errors.Counts) == 0:
		return faint("all pairs of numbers are equal")
	case d.shown == besideErrors:
		return tensors.MagnitudeChart(p.beside.Errors, "absolute errors other than 0", d.w).Draw(st, d.scaled[besideErrors], d.w, h)
	case d.shown == besideValues:
		return d.bothHistograms(d.w, h)
	}
	return d.scatter(d.w, h)
}

// overlayLooks returns characters and styles for two histograms in one picture: one pair for cells
// of both bars, and one for cells of each. The characters differ, because there may be no colours.
func (d *besideDialog) overlayLooks() (glyphs [4]string, looks [4]theme.Paint) {
	st := &d.WS.Styles
	return [4]string{plot.Neither: " ", plot.Both: "█", plot.First: "▒", plot.Second: "░"}, [4]theme.Paint{plot.Both: st.Node, plot.First: st.Good, plot.Second: st.Warn}
}

// bothHistograms draws the distributions of both sides.
func (d *besideDialog) bothHistograms(w, h int) []string {
	st := &d.WS.Styles
	a, b := d.pair.beside.A.Bars(w), d.pair.beside.B.Bars(w)
	c := tensors.ValueChart(d.pair.beside.A, "numbers", w)
	glyphs, looks := d.overlayLooks()
	counts := append(append([]int64(nil), a.Counts...), b.Counts...)
	shares := plot.Shares(counts, d.scaled[besideValues])
	wide := min(max(w/max(len(a.Counts), 1), 1), tensors.MaxBar)
	most := int64(0)
	for _, n := range counts {
		most = max(most, n)
	}
	scale := "up to " + text.Count(most)
	if d.scaled[besideValues] {
		scale += ", logarithmic"
	}
	legend := looks[plot.Both].On(glyphs[plot.Both]) + " both  " + looks[plot.First].On(glyphs[plot.First]) + " a alone  " + looks[plot.Second].On(glyphs[plot.Second]) + " b alone  "
	out := []string{st.Faint.On(cells.Cut(c.What, w)), cells.Cut(legend+st.Faint.On(scale), w)}
	out = append(out, plot.Overlay(shares[:len(a.Counts)], shares[len(a.Counts):], wide, max(h-len(out)-2, 1), func(whose, n int) string {
		return looks[whose].On(strings.Repeat(glyphs[whose], n))
	})...)
	return append(out, st.Frame.On(c.Axis(wide)), st.Faint.On(cells.Cut(c.Ends(wide, max(wide*len(a.Counts), 1)), w)))
}

// scatter draws the pairs of numbers, and the line on which they are equal.
func (d *besideDialog) scatter(w, h int) []string {
	st := &d.WS.Styles
	p := d.pair.beside.Density
	low, high := tensors.Number(p.Edge(0)), tensors.Number(p.Edge(p.Side))
	out := []string{st.Faint.On(cells.Cut(fmt.Sprintf("a across, b up, both from %s to %s; equal on the line", low, high), w))}
	looks := [...]theme.Paint{st.Node, st.Match, st.Bad}
	for _, line := range plot.Scatter(p.Side, p.Counts, w, max(h-1, 1), len(looks)) {
		var b strings.Builder
		for i := 0; i < len(line); {
			run := i
			var s strings.Builder
			for run < len(line) && line[run].Step == line[i].Step {
				s.WriteRune(d.pointGlyph(line[run]))
				run++
			}
			if step := line[i].Step; step >= 0 {
				b.WriteString(looks[step].On(s.String()))
			} else {
				b.WriteString(st.Frame.On(s.String()))
			}
			i = run
		}
		out = append(out, b.String())
	}
	return out
}

// pointGlyph returns the character of a cell in a scatter plot: Braille dots, or in ASCII one of
// three characters that say how many points there are.
func (d *besideDialog) pointGlyph(p plot.Point) rune {
	switch {
	case p.Step < 0 && p.Diagonal:
		return '·'
	case p.Step >= 0 && d.WS.Options.Settings.ASCII:
		return [...]rune{'o', '*', '#'}[p.Step]
	}
	return p.Dots
}

// heatMap draws the errors by their positions, with a cursor.
func (d *besideDialog) heatMap(a *tensors.Answered, h int) []string {
	st := &d.WS.Styles
	switch {
	case a == nil:
		return []string{st.Faint.On("reading")}
	case a.Err != nil:
		return tensors.TroubleLines(a.Err, d.w)
	}
	g := a.Value.(*tensor.PairGrid)
	m := tensors.NewHeat(distances(g), false, d.scaled[besideHeat])
	wide, tall := tensors.CellSize(g.Rows, g.Columns, d.w, h-tensors.HeatHead)
	lines := m.Field.Lines(wide, tall, func(step int, n int) string { return tensors.Shade(d.WS, step, n) })
	for y := range tall {
		i := d.cursor.row*tall + y
		if i < len(lines) {
			cursor := st.Selected.On(strings.Repeat("+", wide))
			under := lines[i : i+1]
			cells.Overlay(under, cells.Rect{X: d.cursor.column * wide, W: wide, H: 1}, []string{cursor})
		}
	}
	what := fmt.Sprintf("largest error, %d×%d elements in a cell", g.Down, g.Across)
	return append([]string{
		st.Faint.On(cells.Cut(d.axes.Brief()+"  "+what, d.w)),
		tensors.Legend(d.WS, m, "NaN or infinite on one side", d.w),
		cells.Cut(d.atCursor(), d.w),
	}, lines...)
}

// distances converts a grid of error magnitudes for drawing as a heat map. A cell stays empty if it
// contains a pair with only one finite number.
func distances(g *tensor.PairGrid) tensor.Grid {
	out := tensor.Grid{Rows: g.Rows, Columns: g.Columns, Down: g.Down, Across: g.Across, Cells: make([]tensor.Cell, len(g.Cells))}
	for i, c := range g.Cells {
		if c.Odd == 0 {
			out.Cells[i] = tensor.Cell{Max: c.Max, Finite: max(c.Finite, 1)}
		}
	}
	return out
}

// atCursor describes the cell at the cursor: the position and the numbers of the pair that differs
// most.
func (d *besideDialog) atCursor() string {
	g := d.grid()
	if g == nil || len(g.Cells) == 0 {
		return "there is no heat map"
	}
	c := g.Cells[d.cursor.row*g.Columns+d.cursor.column]
	return fmt.Sprintf("%s: a %s, b %s, error %s", indexIn(c.At, d.axes.Shape), digits(c.A), digits(c.B), digits(c.Max))
}

// digits formats a number with the digits of a float32.
func digits(x float64) string { return fmt.Sprintf("%.8g", x) }

// indexIn converts a position in row-major order to indices.
func indexIn(at int64, shape []int64) string {
	words := make([]string, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		words[i] = strconv.FormatInt(at%max(shape[i], 1), 10)
		at /= max(shape[i], 1)
	}
	return "[" + strings.Join(words, ", ") + "]"
}
