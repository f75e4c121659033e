package tensors

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/graphops/tensor"
	"lathe/tui/cells"
	"lathe/tui/plot"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// HeatHead is the number of lines above a heat map: the axes, what a cell means, the scale.
const HeatHead = 3

// heatInquiry asks for as many cells as there is room for.
func (p *Pane) heatInquiry() (Inquiry, Work) {
	t, x := p.Current().TensorSource, p.shownAxes()
	rows, columns := max(p.bodyHeight()-HeatHead, 1), max(p.w-2, 1)
	v := tensor.View{Down: x.Down, Across: x.Across, At: append([]int64(nil), x.At...)}
	q := Inquiry{t, fmt.Sprintf("grid %s in %d×%d", x.Key(), rows, columns)}
	return q, func(ctx context.Context, progress func(done, total int64)) (any, error) {
		return t.Grid(ctx, v, rows, columns, progress)
	}
}

// heatMap draws cells by their steps on the scale, enlarged if there is room.
func (p *Pane) heatMap(g tensor.Grid, w, h int) []string {
	st := p.ws.Styles
	m := NewHeat(g, p.other[viewHeat], p.scaled[viewHeat])
	wide, tall := CellSize(g.Rows, g.Columns, w, h-HeatHead)
	out := []string{
		st.Faint.On(cells.Cut(p.shownAxes().Brief(), w)),
		st.Faint.On(cells.Cut(m.what(g, p.shownAxes()), w)),
		Legend(p.ws, m, "none finite", p.w-2),
	}
	return append(out, m.Field.Lines(wide, tall, func(step int, n int) string { return Shade(p.ws, step, n) })...)
}

// CellSize returns the size at which the cells of a heat map are drawn.
func CellSize(rows, columns, w, h int) (wide, tall int) {
	wide = min(max(w/max(columns, 1), 1), 6)
	return wide, min(max(h/max(rows, 1), 1), max(wide/2, 1))
}

// noNumber is the position on the scale for a cell that contains no finite number.
const noNumber = -1

// Shade returns n cells in the color for a position on the scale. Without colors it uses
// characters.
func Shade(ws *workspace.Workspace, step, n int) string {
	st := ws.Styles
	switch {
	case step == noNumber:
		return st.Bad.On(strings.Repeat("!", n))
	case ws.Options.Settings.ASCII || st.Heat[theme.HeatSteps-1] == "":
		return strings.Repeat(plot.Shades[step], n)
	default:
		return st.Heat[step].On(cells.Blanks(n))
	}
}

// Legend returns the line with the scale: its ends, its colors, and the meaning of cells that
// contain no finite number.
func Legend(ws *workspace.Workspace, m heat, odd string, w int) string {
	var steps string
	for i := range theme.HeatSteps {
		steps += Shade(ws, i, 2)
	}
	out := Number(m.scale.Low) + " " + steps + " " + Number(m.scale.High)
	if m.scale.Logarithmic {
		out += " logarithmic"
	}
	if m.odd > 0 {
		out += "  " + Shade(ws, noNumber, 1) + " " + odd
	}
	return cells.Cut(out, w)
}

// heat is a heat map: for each cell, its position on the color scale.
type heat struct {
	Field   plot.Field
	scale   plot.Scale
	means   bool
	odd     int // cells without a finite number
	hot     int // the cell of the largest number, -1 if there is none
	hottest float64
}

// NewHeat computes a heat map from a grid. The number of a cell is its largest magnitude, or with
// means its mean. A logarithmic scale uses the magnitude of the mean.
func NewHeat(g tensor.Grid, means, logarithmic bool) heat {
	m := heat{Field: plot.Field{Columns: g.Columns}, means: means, hot: -1}
	low, high := math.Inf(1), math.Inf(-1)
	value := func(c tensor.Cell) float64 {
		switch {
		case !means:
			return c.AbsMax()
		case logarithmic:
			return math.Abs(c.Mean)
		default:
			return c.Mean
		}
	}
	for i, c := range g.Cells {
		if c.Finite == 0 {
			m.odd++
			continue
		}
		x := value(c)
		if !logarithmic || x > 0 {
			low = min(low, x)
		}
		if x > high {
			m.hot, high = i, x
		}
	}
	m.hottest = high
	if high < low { // only zeros, or no finite number
		low, high, logarithmic = 0, 0, false
	}
	m.scale = plot.Scale{Low: low, High: high, Logarithmic: logarithmic, Steps: theme.HeatSteps}
	for _, c := range g.Cells {
		step := noNumber
		if c.Finite > 0 {
			step = m.scale.Step(value(c))
		}
		m.Field.Steps = append(m.Field.Steps, step)
	}
	return m
}

// What describes how many elements are in a cell, and which number it shows.
func (m heat) what(g tensor.Grid, x *Axes) string {
	word := "largest magnitude"
	if m.means {
		word = "mean"
	}
	switch {
	case slices.Contains(x.outside(), tensor.Reduced):
		return fmt.Sprintf("%s, %d×%d×all to a cell", word, g.Down, g.Across)
	case g.Down*g.Across == 1 && m.means:
		return "each element a cell"
	case g.Down*g.Across == 1:
		return "magnitude, each element a cell"
	}
	return fmt.Sprintf("%s, %d×%d to a cell", word, g.Down, g.Across)
}

// saidHeat says where the largest number is.
func (p *Pane) saidHeat(g tensor.Grid) string {
	m := NewHeat(g, p.other[viewHeat], p.scaled[viewHeat])
	if m.hot < 0 {
		return "no number is finite"
	}
	row, column := int64(m.hot/g.Columns)*g.Down, int64(m.hot%g.Columns)*g.Across
	return fmt.Sprintf("%s, %d by %d cells, the largest %s from %s on", m.what(g, p.shownAxes()), g.Rows, g.Columns, Number(m.hottest), p.shownAxes().index(row, column))
}
