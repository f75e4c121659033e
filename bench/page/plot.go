package page

import (
	"math"

	"lathe/bench"
)

<<<<<<< HEAD
// rows places n rows below each other. Each has its name above its data, because the width of a
// name beside it depends on the reader's font.
func (f *figure) rows(n int) func(i int, name string) (middle float64) {
	each := (f.y.start - f.y.end) / float64(n)
	return func(i int, name string) float64 {
		middle := f.y.end + (float64(i)+0.5)*each
		f.text("start", point{f.x.start, middle - 3}, name)
		return middle + 9
	}
}

// vertical draws a vertical dashed line at a value of the horizontal axis.
func (f *figure) vertical(at float64, of paint) {
	x := f.x.at(at)
	f.line(stroke{of, 1, true}, point{x, f.y.start}, point{x, f.y.end})
=======
// Sizes of figures. One unit is one pixel if the page is as wide as a phone.
const (
	figureWidth = 420
	figureLow   = 200
	rowHeight   = 42
	axisHeight  = 44
	textSize    = 13
)

// These values are not real colours. Each stands for a variable of the page's style, which the
// function inked puts in its place.
var (
	ink   = color.RGBA{1, 0, 0, 255}
	faint = color.RGBA{1, 1, 0, 255}
	good  = color.RGBA{1, 2, 0, 255}
	bad   = color.RGBA{1, 3, 0, 255}
)

// seriesColors is the number of different colours for subjects before they repeat.
const seriesColors = 6

// series returns the colour of subject i. Like ink, it stands for a variable of the page's style.
func series(i int) color.RGBA { return color.RGBA{2, uint8(i % seriesColors), 0, 255} }

// drawing is a function that implements plot.Plotter.
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

// logRange is the ratio of the largest to the smallest value above which an axis is logarithmic.
const logRange = 12

// scaleX fits the horizontal axis to the values. If log is set, positive values that differ by more
// than a factor of logRange get a logarithmic axis. format writes the labels.
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

// edge is the part at each end of an axis, as a fraction of its length, in which a label would be
// cut off.
const edge = 0.05

// clearOfEdges returns a ticker that removes the labels that would be cut off at the ends of the
// axis. scale is math.Log for a logarithmic axis and the identity for a linear one.
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

// linearTicks returns a ticker for a linear axis. It puts ticks at round values and labels at most
// mostLabels of them.
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

// logTicks returns a ticker for a logarithmic axis. It puts ticks at 1, 2 and 5 times powers of
// ten, and labels as many as fit.
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

// brief returns a function that writes a number like format, but without trailing zeros.
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

// rowsAt sets up the vertical axis of a plot with n rows. The name of a row is above its data and
// not beside it, because the width of the name depends on the reader's font.
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

// vertical draws a vertical line at the value at of the horizontal axis.
func vertical(c draw.Canvas, p *plot.Plot, at float64, of color.Color, dashed bool) {
	x, _ := p.Transforms(&c)
	style := draw.LineStyle{Color: of, Width: 1}
	if dashed {
		style.Dashes = []vg.Length{3, 3}
	}
	c.StrokeLine2(style, x(at), c.Min.Y, x(at), c.Max.Y)
>>>>>>> 6d3469b0 (comments: what a newcomer could not understand in bench)
}

// rangeRow is the row of one subject in a figure. It is drawn as a line from low to high, a thick
// bar between the fields from and to, a dot at middle, and short marks at ticks.
type rangeRow struct {
	name                        string
	low, from, middle, to, high float64
	ticks                       []float64
}

// ranges draws rows below each other, with a vertical line at mark unless mark is 0.
func ranges(rows []rangeRow, label string, format func(float64) string, mark float64) string {
	var values []float64
	for _, r := range rows {
		values = append(values, r.low, r.high, r.from, r.to)
	}
	if mark != 0 {
		values = append(values, mark)
	}
	f := newFigure(float64(axisHeight+rowHeight*len(rows)), axisHeight, axisOf(label, values, true, brief(format)))
	if mark != 0 {
		f.vertical(mark, faint)
	}
	place := f.rows(len(rows))
	for i, r := range rows {
		y, of := place(i, r.name), series(i)
		line := func(from, to, width float64) {
			f.line(stroke{of: of, width: width}, point{f.x.at(from), y}, point{f.x.at(to), y})
		}
		line(r.low, r.high, 1.5)
		line(r.from, r.to, 7)
		for _, t := range r.ticks {
			f.line(stroke{of: of, width: 1.5}, point{f.x.at(t), y - 5}, point{f.x.at(t), y + 5})
		}
		f.dot(ink, 4, point{f.x.at(r.middle), y})
	}
	return f.svg()
}

// bar is one named bar of a chart.
type bar struct {
	name  string
	value float64
	color paint
}

// barChart draws horizontal bars that start at 0, each with its value.
func barChart(bars []bar, format func(float64) string) string {
	longest := 0.0
	for _, b := range bars {
		longest = max(longest, b.value)
	}
	x := axis{high: 1.25 * longest} // room for the value after the longest bar
	if longest == 0 {
		x.high = 1
	}
	f := newFigure(float64(2*margin+rowHeight*len(bars)), margin, x)
	place := f.rows(len(bars))
	for i, b := range bars {
		y, end := place(i, b.name), f.x.at(b.value)
		f.area(b.color, []point{{f.x.start, y - 7}, {end, y - 7}, {end, y + 7}, {f.x.start, y + 7}})
		f.text("start", point{end + 5, y + textSize/3}, format(b.value))
	}
	return f.svg()
}

// count writes a number of runs or blocks.
func count(v float64) string { return bench.PerSecond(bench.Number(v)) }

// histogram draws the distribution of a run's times.
func histogram(r bench.Run, of paint) string {
	h := r.Histogram
	from, width := float64(h.From), float64(h.Width)
	most := 1
	for _, n := range h.Counts {
		most = max(most, n)
	}
	x := axisOf("time of a run", []float64{from, from + width*float64(len(h.Counts))}, false, brief(milliseconds))
	y := axis{label: "runs", high: float64(most) * 1.05}
	y.ticks = linearTicks(y.low, y.high, count)
	f := newFigure(figureLow, axisHeight, x).withY(y)
	points := []point{{f.x.at(from), f.y.start}}
	for i, n := range h.Counts {
		left, top := from+width*float64(i), f.y.at(float64(n))
		points = append(points, point{f.x.at(left), top}, point{f.x.at(left + width), top})
	}
	points = append(points, point{f.x.at(from + width*float64(len(h.Counts))), f.y.start})
	f.area(of, points)
	f.vertical(float64(r.P50), ink)
	return f.svg()
}

// mostDots is the number of blocks above which their dots would merge into the line.
const mostDots = 200

// overTime draws the block medians and the overall median.
func overTime(r bench.Run, of paint) string {
	n := len(r.BlockMedians)
	x := axis{label: "block", low: 0.5, high: float64(n) + 0.5}
	x.ticks = linearTicks(x.low, x.high, count)
	low, high := math.Inf(1), math.Inf(-1)
	for _, m := range r.BlockMedians {
		low, high = min(low, float64(m)), max(high, float64(m))
	}
	room := max((high-low)*0.08, high*0.005)
	y := axis{low: low - room, high: high + room}
	y.ticks = linearTicks(y.low, y.high, brief(milliseconds))
	f := newFigure(figureLow, axisHeight, x).withY(y)
	median := f.y.at(float64(r.P50))
	f.line(stroke{ink, 1, true}, point{f.x.start, median}, point{f.x.end, median})
	var line []point
	for i, m := range r.BlockMedians {
		at := point{f.x.at(float64(i + 1)), f.y.at(float64(m))}
		line = append(line, at)
		if n <= mostDots {
			f.dot(of, 2, at)
		}
	}
	f.lines(stroke{of: of, width: 1.2}, line)
	return f.svg()
}

// dot is a value that dots draws in the row with its name.
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
func dots(subjects []dotRow, format func(float64) string) string {
	var names []string
	rowOf := map[string]int{}
	var values []float64
	for _, s := range subjects {
		for _, d := range s.dots {
			if _, known := rowOf[d.name]; !known {
				rowOf[d.name] = len(names)
				names = append(names, shorten(d.name))
			}
			values = append(values, d.at)
		}
	}
	x := axisOf("time, logarithmic", values, true, brief(format))
	f := newFigure(float64(axisHeight+rowHeight*len(names)), axisHeight, x)
	place := f.rows(len(names))
	heights := make([]float64, len(names))
	for i, name := range names {
		heights[i] = place(i, name)
		f.line(stroke{of: faint, width: 0.5}, point{f.x.start, heights[i]}, point{f.x.end, heights[i]})
	}
	for i, s := range subjects {
		// Subjects are drawn with small vertical offsets so that they do not hide each other.
		off := 0.0
		if len(subjects) > 1 {
			off = 12 * (float64(i)/float64(len(subjects)-1) - 0.5)
		}
		for _, d := range s.dots {
			to := point{f.x.at(d.at), heights[rowOf[d.name]] + off}
			f.dot(series(i), 4.5, to)
			if len(subjects) > 1 { // not everyone can tell the colours apart
				f.text("start", point{to.x + 6, to.y + textSize/3}, s.letter)
			}
		}
	}
	return f.svg()
}
