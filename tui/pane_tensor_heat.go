package tui

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

// heatHead is the number of lines above a heat map: the axes, what a cell means, the scale.
const heatHead = 3

// heatInquiry asks for as many cells as there is room for.
func (p *tensorPane) heatInquiry() (inquiry, work) {
	t, x := p.current().TensorSource, p.shownAxes()
	rows, columns := max(p.bodyHeight()-heatHead, 1), max(p.w-2, 1)
	v := tensor.View{Down: x.Down, Across: x.Across, At: append([]int64(nil), x.At...)}
	q := inquiry{t, fmt.Sprintf("grid %s in %d×%d", x.key(), rows, columns)}
	return q, func(ctx context.Context, progress func(done, total int64)) (any, error) {
		return t.Grid(ctx, v, rows, columns, progress)
	}
}

// heatMap draws cells by their steps on the scale, enlarged if there is room.
func (p *tensorPane) heatMap(g tensor.Grid, w, h int) []string {
	st := p.ws.Styles
	m := newHeat(g, p.other[viewHeat], p.scaled[viewHeat])
	wide, tall := cellSize(g.Rows, g.Columns, w, h-heatHead)
	out := []string{
		st.Faint.On(cells.Cut(p.shownAxes().brief(), w)),
		st.Faint.On(cells.Cut(m.what(g, p.shownAxes()), w)),
		legend(p.ws, m, "none finite", p.w-2),
	}
	return append(out, m.field.Lines(wide, tall, func(step int, n int) string { return shade(p.ws, step, n) })...)
}

// cellSize returns the size at which the cells of a heat map are drawn.
func cellSize(rows, columns, w, h int) (wide, tall int) {
	wide = min(max(w/max(columns, 1), 1), 6)
	return wide, min(max(h/max(rows, 1), 1), max(wide/2, 1))
}

// noNumber is the position on the scale for a cell that contains no finite number.
const noNumber = -1

// shade returns n cells in the color for a position on the scale. Without colors it uses
// characters.
func shade(ws *workspace.Workspace, step, n int) string {
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

// legend returns the line with the scale: its ends, its colors, and the meaning of cells that
// contain no finite number.
func legend(ws *workspace.Workspace, m heat, odd string, w int) string {
	var steps string
	for i := range theme.HeatSteps {
		steps += shade(ws, i, 2)
	}
	out := number(m.scale.Low) + " " + steps + " " + number(m.scale.High)
	if m.scale.Logarithmic {
		out += " logarithmic"
	}
	if m.odd > 0 {
		out += "  " + shade(ws, noNumber, 1) + " " + odd
	}
	return cells.Cut(out, w)
}

// heat is a heat map: for each cell, its position on the color scale.
type heat struct {
	field   plot.Field
	scale   plot.Scale
	means   bool
	odd     int // cells without a finite number
	hot     int // the cell of the largest number, -1 if there is none
	hottest float64
}

// newHeat computes a heat map from a grid. The number of a cell is its largest magnitude, or with
// means its mean. A logarithmic scale uses the magnitude of the mean.
func newHeat(g tensor.Grid, means, logarithmic bool) heat {
	m := heat{field: plot.Field{Columns: g.Columns}, means: means, hot: -1}
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
		m.field.Steps = append(m.field.Steps, step)
	}
	return m
}

// what describes how many elements are in a cell, and which number it shows.
func (m heat) what(g tensor.Grid, x *axes) string {
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
func (p *tensorPane) saidHeat(g tensor.Grid) string {
	m := newHeat(g, p.other[viewHeat], p.scaled[viewHeat])
	if m.hot < 0 {
		return "no number is finite"
	}
	row, column := int64(m.hot/g.Columns)*g.Down, int64(m.hot%g.Columns)*g.Across
	return fmt.Sprintf("%s, %d by %d cells, the largest %s from %s on", m.what(g, p.shownAxes()), g.Rows, g.Columns, number(m.hottest), p.shownAxes().index(row, column))
}
