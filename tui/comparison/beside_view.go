package comparison

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

// BesideHead is the number of lines above a picture: the views and the metrics.
const BesideHead = 2

// BodyHeight returns the number of lines below the head.
func (d *BesideDialog) BodyHeight() int { return max(d.h-BesideHead, 1) }

// View implements shell.Pane.
func (d *BesideDialog) View(bool) []string {
	st := &d.WS.Styles
	lines := []string{d.strip()}
	switch {
	case d.Pair == nil:
		lines = append(lines, "")
		for _, s := range d.waiting() {
			lines = append(lines, cells.Cut(s, d.W))
		}
	case d.Pair.Why != "":
		lines = append(append(lines, ""), cells.WrapWords(d.Pair.Why, d.W)...)
	default:
		lines = append(lines, st.Faint.On(cells.Cut(d.figures(), d.W)))
		lines = append(lines, d.body...)
	}
	return cells.Block(lines, d.W, d.h)
}

// Figures returns the error metrics of the two values. If the largest error differs from that of
// the comparison, it says so: another run may give other results.
func (d *BesideDialog) figures() string {
	want := d.row.Figures[figMaxAbs]
	if d.Of.Output == "" && !d.Of.Local {
		want = d.row.Figures[figAccumulatedAbs]
	}
	if got := d.Pair.Beside.Metrics.MaxAbs; want.Has && want.X != got && !math.IsNaN(want.X) {
		return fmt.Sprintf("%s; the table has max abs %s: this run gave another result", d.Pair.gist(), graph.Brief(want.X))
	}
	return d.Pair.gist()
}

// strip lists the names of the views. The current view is in brackets.
func (d *BesideDialog) strip() string {
	st := &d.WS.Styles
	var words []string
	for i, title := range besideTitles {
		if BesideView(i) == d.Shown {
			words = append(words, st.Key.On("["+title+"]"))
		} else {
			words = append(words, st.Faint.On(" "+title+" "))
		}
	}
	return cells.Cut(strings.Join(words, " "), d.W)
}

// draw returns the lines of the visible view.
func (d *BesideDialog) draw(a *tensors.Answered) []string {
	p, h := d.Pair, d.BodyHeight()
	st := &d.WS.Styles
	faint := func(s string) []string { return []string{st.Faint.On(cells.Cut(s, d.W))} }
	switch {
	case p.Beside.Metrics.Total == 0:
		return faint("the value has no elements")
	case d.Shown == BesideHeat:
		return d.heatMap(a, h)
	case p.Beside.Metrics.Finite == 0:
		return faint("no pair of numbers is finite")
	case d.Shown == BesideErrors && len(p.Beside.Errors.Counts) == 0:
		return faint("all pairs of numbers are equal")
	case d.Shown == BesideErrors:
		return tensors.MagnitudeChart(p.Beside.Errors, "absolute errors other than 0", d.W).Draw(st, d.Scaled[BesideErrors], d.W, h)
	case d.Shown == BesideValues:
		return d.bothHistograms(d.W, h)
	}
	return d.scatter(d.W, h)
}

// overlayLooks returns characters and styles for two histograms in one picture: one pair for cells
// of both bars, and one for cells of each. The characters differ, because there may be no colours.
func (d *BesideDialog) overlayLooks() (glyphs [4]string, looks [4]theme.Paint) {
	st := &d.WS.Styles
	return [4]string{plot.Neither: " ", plot.Both: "█", plot.First: "▒", plot.Second: "░"}, [4]theme.Paint{plot.Both: st.Node, plot.First: st.Good, plot.Second: st.Warn}
}

// bothHistograms draws the distributions of both sides.
func (d *BesideDialog) bothHistograms(w, h int) []string {
	st := &d.WS.Styles
	a, b := d.Pair.Beside.A.Bars(w), d.Pair.Beside.B.Bars(w)
	c := tensors.ValueChart(d.Pair.Beside.A, "numbers", w)
	glyphs, looks := d.overlayLooks()
	counts := append(append([]int64(nil), a.Counts...), b.Counts...)
	shares := plot.Shares(counts, d.Scaled[BesideValues])
	wide := min(max(w/max(len(a.Counts), 1), 1), tensors.MaxBar)
	most := int64(0)
	for _, n := range counts {
		most = max(most, n)
	}
	scale := "up to " + text.Count(most)
	if d.Scaled[BesideValues] {
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
func (d *BesideDialog) scatter(w, h int) []string {
	st := &d.WS.Styles
	p := d.Pair.Beside.Density
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
func (d *BesideDialog) pointGlyph(p plot.Point) rune {
	switch {
	case p.Step < 0 && p.Diagonal:
		return '·'
	case p.Step >= 0 && d.WS.Options.Settings.ASCII:
		return [...]rune{'o', '*', '#'}[p.Step]
	}
	return p.Dots
}

// heatMap draws the errors by their positions, with a cursor.
func (d *BesideDialog) heatMap(a *tensors.Answered, h int) []string {
	st := &d.WS.Styles
	switch {
	case a == nil:
		return []string{st.Faint.On("reading")}
	case a.Err != nil:
		return tensors.TroubleLines(a.Err, d.W)
	}
	g := a.Value.(*tensor.PairGrid)
	m := tensors.NewHeat(distances(g), false, d.Scaled[BesideHeat])
	wide, tall := tensors.CellSize(g.Rows, g.Columns, d.W, h-tensors.HeatHead)
	lines := m.Field.Lines(wide, tall, func(step int, n int) string { return tensors.Shade(d.WS, step, n) })
	for y := range tall {
		i := d.Cursor.Row*tall + y
		if i < len(lines) {
			cursor := st.Selected.On(strings.Repeat("+", wide))
			under := lines[i : i+1]
			cells.Overlay(under, cells.Rect{X: d.Cursor.Column * wide, W: wide, H: 1}, []string{cursor})
		}
	}
	what := fmt.Sprintf("largest error, %d×%d elements in a cell", g.Down, g.Across)
	return append([]string{
		st.Faint.On(cells.Cut(d.Axes.Brief()+"  "+what, d.W)),
		tensors.Legend(d.WS, m, "NaN or infinite on one side", d.W),
		cells.Cut(d.atCursor(), d.W),
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
func (d *BesideDialog) atCursor() string {
	g := d.grid()
	if g == nil || len(g.Cells) == 0 {
		return "there is no heat map"
	}
	c := g.Cells[d.Cursor.Row*g.Columns+d.Cursor.Column]
	return fmt.Sprintf("%s: a %s, b %s, error %s", indexIn(c.At, d.Axes.Shape), digits(c.A), digits(c.B), digits(c.Max))
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
