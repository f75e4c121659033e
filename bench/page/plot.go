package page

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lathe/bench"
)

// Sizes of figures. One unit is one pixel if the page is as wide as a phone.
const (
	figureWidth = 420
	figureLow   = 200
	rowHeight   = 42
	axisHeight  = 44
	textSize    = 13
)

// These colours stand for variables of the page's style; see inked.
var (
	ink   = color.RGBA{1, 0, 0, 255}
	faint = color.RGBA{1, 1, 0, 255}
	good  = color.RGBA{1, 2, 0, 255}
	bad   = color.RGBA{1, 3, 0, 255}
)

// seriesColors is the number of different colours for subjects before they repeat.
const seriesColors = 6

// series returns the colour of subject i.
func series(i int) color.RGBA { return color.RGBA{2, uint8(i % seriesColors), 0, 255} }

// drawing is a function that serves as a plotter.
type drawing func(c draw.Canvas, p *plot.Plot)

func (d drawing) Plot(c draw.Canvas, p *plot.Plot) { d(c, p) }

// newPlot returns an empty plot in the page's colours.
func newPlot(label string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Color, axis.Tick.Color = faint, faint
		axis.Tick.Label.Color, axis.Label.TextStyle.Color = ink, ink
		axis.Tick.Label.Font = font.From(plot.DefaultFont, textSize)
		axis.Label.TextStyle.Font = axis.Tick.Label.Font
		axis.Tick.Label.Font.Variant, axis.Label.TextStyle.Font.Variant = "Sans", "Sans"
		axis.Padding = 4
	}
	p.X.Label.Text, p.X.Label.Padding = label, 3
	return p
}

// logRange is the ratio of the largest to the smallest value from which an axis is logarithmic.
const logRange = 12

// scaleX fits the horizontal axis to the values. If log is set, a wide range of positive values
// gets a logarithmic axis.
func scaleX(p *plot.Plot, values []float64, log bool, format func(float64) string) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	switch {
	case low > high:
		low, high = 0, 1
	case log && low > 0 && high/low > logRange:
		p.X.Min, p.X.Max = low/1.2, high*1.2
		p.X.Scale = plot.LogScale{}
		p.X.Tick.Marker = clearOfEdges(logTicks(format), math.Log)
		return
	case high == low:
		low, high = low-math.Abs(low)*0.05-1e-9, high+math.Abs(high)*0.05+1e-9
	}
	room := (high - low) * 0.04
	p.X.Min, p.X.Max = low-room, high+room
	if low >= 0 {
		p.X.Min = max(p.X.Min, 0)
	}
	p.X.Tick.Marker = clearOfEdges(linearTicks(format), func(v float64) float64 { return v })
}

// edge is the fraction of the axis at each end where a label would be cut off.
const edge = 0.05

// clearOfEdges removes labels that would be cut off at the edges. scale is the axis's scale.
func clearOfEdges(of plot.TickerFunc, scale func(float64) float64) plot.TickerFunc {
	return func(low, high float64) []plot.Tick {
		ticks := of(low, high)
		for i, t := range ticks {
			if at := (scale(t.Value) - scale(low)) / (scale(high) - scale(low)); at < edge || at > 1-edge {
				ticks[i].Label = ""
			}
		}
		return ticks
	}
}

// mostLabels is the maximum number of labels on an axis.
const mostLabels = 4

// linearTicks puts ticks at round values, with at most mostLabels labels.
func linearTicks(format func(float64) string) plot.TickerFunc {
	return func(low, high float64) []plot.Tick {
		step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(mostLabels))))
		for _, m := range []float64{1, 2, 5, 10} {
			if (high-low)/(step*m) <= float64(mostLabels) {
				step *= m
				break
			}
		}
		if !(step > 0) {
			return nil
		}
		var out []plot.Tick
		for k := math.Ceil(low / step); k*step <= high; k++ {
			out = append(out, plot.Tick{Value: k * step, Label: format(k * step)})
		}
		return out
	}
}

// logTicks puts ticks at 1, 2 and 5 times powers of ten, and labels as many as fit.
func logTicks(format func(float64) string) plot.TickerFunc {
	return func(low, high float64) []plot.Tick {
		decades := math.Log10(high / low)
		every := max(1, math.Ceil(decades/mostLabels))
		var out []plot.Tick
		for e := math.Floor(math.Log10(low)); e <= math.Log10(high); e++ {
			for _, m := range []float64{1, 2, 5} {
				v := m * math.Pow(10, e)
				if v < low || v > high {
					continue
				}
				t := plot.Tick{Value: v}
				if m == 1 && math.Mod(e, every) == 0 || decades < 1.6 && m != 2 || decades < 1 {
					t.Label = format(v)
				}
				out = append(out, t)
			}
		}
		return out
	}
}

// brief returns a format function without trailing zeros.
func brief(format func(float64) string) func(float64) string {
	return func(v float64) string {
		number, unit, found := strings.Cut(format(v+0), " ") // +0 turns -0 into 0
		if strings.Contains(number, ".") {
			number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
		}
		if found {
			number += " " + unit
		}
		return number
	}
}

// rowsAt prepares the plot for n rows. Each row has its name above its data, because the width
// of a name beside it depends on the reader's font.
func rowsAt(p *plot.Plot, n int) {
	p.HideY()
	p.Y.Min, p.Y.Max, p.Y.Padding = -0.5, float64(n)-0.5, 0
}

// nameRow writes the name of row i and returns the height at which its data is drawn.
func nameRow(c draw.Canvas, p *plot.Plot, i, n int, name string) vg.Length {
	_, y := p.Transforms(&c)
	at := y(float64(n - 1 - i))
	style := p.X.Tick.Label
	style.XAlign, style.YAlign = draw.XLeft, draw.YBottom
	c.FillText(style, vg.Point{X: c.Min.X, Y: at + 1}, name)
	return at - 9
}

// vertical draws a vertical line at a value of the horizontal axis.
func vertical(c draw.Canvas, p *plot.Plot, at float64, of color.Color, dashed bool) {
	x, _ := p.Transforms(&c)
	style := draw.LineStyle{Color: of, Width: 1}
	if dashed {
		style.Dashes = []vg.Length{3, 3}
	}
	c.StrokeLine2(style, x(at), c.Min.Y, x(at), c.Max.Y)
}

// rangeRow has the values of a subject: a line from low to high, a thick bar between the fields
// from and to, a dot at middle, and ticks.
type rangeRow struct {
	name                        string
	low, from, middle, to, high float64
	ticks                       []float64
}

// ranges draws rows below each other, with a vertical line at mark unless mark is 0.
func ranges(rows []rangeRow, label string, format func(float64) string, mark float64) string {
	p := newPlot(label)
	var values []float64
	for _, r := range rows {
		values = append(values, r.low, r.high, r.from, r.to)
	}
	if mark != 0 {
		values = append(values, mark)
	}
	rowsAt(p, len(rows))
	scaleX(p, values, true, brief(format))
	p.Add(drawing(func(c draw.Canvas, p *plot.Plot) {
		x, _ := p.Transforms(&c)
		if mark != 0 {
			vertical(c, p, mark, faint, true)
		}
		for i, r := range rows {
			at, of := nameRow(c, p, i, len(rows), r.name), series(i)
			line := func(from, to float64, width vg.Length) {
				c.StrokeLine2(draw.LineStyle{Color: of, Width: width}, x(from), at, x(to), at)
			}
			line(r.low, r.high, 1.5)
			line(r.from, r.to, 7)
			for _, t := range r.ticks {
				c.StrokeLine2(draw.LineStyle{Color: of, Width: 1.5}, x(t), at-5, x(t), at+5)
			}
			c.DrawGlyph(draw.GlyphStyle{Color: ink, Radius: 4, Shape: draw.CircleGlyph{}}, vg.Point{X: x(r.middle), Y: at})
		}
	}))
	return svg(p, vg.Length(axisHeight+rowHeight*len(rows)))
}

// bar is one named bar of a chart.
type bar struct {
	name  string
	value float64
	color color.RGBA
}

// barChart draws horizontal bars that start at 0, each with its value.
func barChart(bars []bar, format func(float64) string) string {
	p := newPlot("")
	values := []float64{0}
	for _, b := range bars {
		values = append(values, b.value)
	}
	rowsAt(p, len(bars))
	scaleX(p, values, false, brief(format))
	p.X.Min = 0
	p.X.Max *= 1.25 // room for the value after the longest bar
	p.HideX()
	p.Add(drawing(func(c draw.Canvas, p *plot.Plot) {
		x, _ := p.Transforms(&c)
		style := p.X.Tick.Label
		style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
		for i, b := range bars {
			at := nameRow(c, p, i, len(bars), b.name)
			c.FillPolygon(b.color, []vg.Point{{X: x(0), Y: at - 7}, {X: x(b.value), Y: at - 7}, {X: x(b.value), Y: at + 7}, {X: x(0), Y: at + 7}})
			c.FillText(style, vg.Point{X: x(b.value) + 5, Y: at}, format(b.value))
		}
	}))
	return svg(p, vg.Length(8+rowHeight*len(bars)))
}

// histogram draws the distribution of a run's times.
func histogram(r bench.Run, of color.RGBA) string {
	p := newPlot("time of a run")
	h := r.Histogram
	from, width := float64(h.From), float64(h.Width)
	most := 1
	for _, n := range h.Counts {
		most = max(most, n)
	}
	scaleX(p, []float64{from, from + width*float64(len(h.Counts))}, false, brief(milliseconds))
	p.Y.Min, p.Y.Max = 0, float64(most)*1.05
	p.Y.Tick.Marker = linearTicks(func(v float64) string { return bench.PerSecond(bench.Number(v)) })
	p.Y.Label.Text, p.Y.Padding = "runs", 0
	p.Add(drawing(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		outline := []vg.Point{{X: x(from), Y: y(0)}}
		for i, n := range h.Counts {
			left := from + width*float64(i)
			outline = append(outline, vg.Point{X: x(left), Y: y(float64(max(n, 0)))}, vg.Point{X: x(left + width), Y: y(float64(max(n, 0)))})
		}
		outline = append(outline, vg.Point{X: x(from + width*float64(len(h.Counts))), Y: y(0)})
		c.FillPolygon(of, outline)
		vertical(c, p, float64(r.P50), ink, true)
	}))
	return svg(p, figureLow)
}

// overTime draws the block medians and the overall median.
func overTime(r bench.Run, of color.RGBA) string {
	p := newPlot("block")
	n := len(r.BlockMedians)
	p.X.Min, p.X.Max = 0.5, float64(n)+0.5
	p.X.Tick.Marker = linearTicks(func(v float64) string { return bench.PerSecond(bench.Number(v)) })
	low, high := math.Inf(1), math.Inf(-1)
	for _, m := range r.BlockMedians {
		low, high = min(low, float64(m)), max(high, float64(m))
	}
	room := max((high-low)*0.08, high*0.005)
	p.Y.Min, p.Y.Max = low-room, high+room
	p.Y.Tick.Marker = linearTicks(brief(milliseconds))
	p.Add(drawing(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1, Dashes: []vg.Length{3, 3}}, c.Min.X, y(float64(r.P50)), c.Max.X, y(float64(r.P50)))
		var line []vg.Point
		for i, m := range r.BlockMedians {
			at := vg.Point{X: x(float64(i + 1)), Y: y(float64(m))}
			line = append(line, at)
			if n <= 200 {
				c.DrawGlyph(draw.GlyphStyle{Color: of, Radius: 2, Shape: draw.CircleGlyph{}}, at)
			}
		}
		c.StrokeLines(draw.LineStyle{Color: of, Width: 1.2}, line)
	}))
	return svg(p, figureLow)
}

// dot is a named value.
type dot struct {
	name string
	at   float64
}

// dotRow has the values of one subject.
type dotRow struct {
	letter string
	dots   []dot
}

// dots draws one row for each name, with one dot for each subject.
func dots(rows []dotRow, format func(float64) string) string {
	p := newPlot("time, logarithmic")
	var names []string
	at := map[string]int{}
	var values []float64
	for _, r := range rows {
		for _, d := range r.dots {
			if _, known := at[d.name]; !known {
				at[d.name] = len(names)
				names = append(names, shorten(d.name))
			}
			values = append(values, d.at)
		}
	}
	rowsAt(p, len(names))
	scaleX(p, values, true, brief(format))
	p.Add(drawing(func(c draw.Canvas, p *plot.Plot) {
		x, _ := p.Transforms(&c)
		letters := p.X.Tick.Label
		letters.XAlign, letters.YAlign = draw.XLeft, draw.YCenter
		height := map[string]vg.Length{}
		for i, name := range names {
			height[name] = nameRow(c, p, i, len(names), name)
			c.StrokeLine2(draw.LineStyle{Color: faint, Width: 0.5}, c.Min.X, height[name], c.Max.X, height[name])
		}
		for i, r := range rows {
			// Subjects are drawn with small vertical offsets so that they do not hide each
			// other.
			off := vg.Length(0)
			if len(rows) > 1 {
				off = vg.Length(12 * (0.5 - float64(i)/float64(len(rows)-1)))
			}
			for _, d := range r.dots {
				to := vg.Point{X: x(d.at), Y: height[names[at[d.name]]] + off}
				c.DrawGlyph(draw.GlyphStyle{Color: series(i), Radius: 4.5, Shape: draw.CircleGlyph{}}, to)
				if len(rows) > 1 { // not everyone can tell the colours apart
					c.FillText(letters, vg.Point{X: to.X + 6, Y: to.Y}, r.letter)
				}
			}
		}
	}))
	return svg(p, vg.Length(axisHeight+rowHeight*len(names)))
}
