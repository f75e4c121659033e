package page

import (
	"math"

	"lathe/bench"
)

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
