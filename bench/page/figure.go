package page

import (
	"fmt"
	"html"
	"strconv"
	"strings"
)

// Sizes of figures. One unit is one pixel if the page is as wide as a phone.
const (
	figureWidth = 420
	figureLow   = 200
	rowHeight   = 42
	axisHeight  = 44
	textSize    = 13
	tickLength  = 5
	margin      = 4 // around a figure, so that dots at the edge are whole
)

// paint is a colour: a variable of the page's style, which differs between light and dark pages.
type paint string

const (
	ink   paint = "var(--ink)"
	faint paint = "var(--faint)"
	good  paint = "var(--good)"
	bad   paint = "var(--bad)"
)

// series returns the colour of subject i. After six subjects the colours repeat.
func series(i int) paint { return paint(fmt.Sprintf("var(--s%d)", i%6)) }

// figure collects the elements of a drawing. The origin is the top left corner.
type figure struct {
	height float64
	x, y   axis // where the data is; an axis without ticks and label is not drawn
	body   strings.Builder
}

// newFigure returns a figure whose data fills the whole area above the horizontal axis, which
// takes this much height.
func newFigure(height, below float64, x axis) *figure {
	f := &figure{height: height, x: x}
	f.x.start, f.x.end = margin, figureWidth-2*margin
	f.y = axis{low: 0, high: 1, start: height - below, end: margin}
	return f
}

// withY moves the data to the right, so that the labels of a vertical axis fit beside it.
func (f *figure) withY(y axis) *figure {
	y.start, y.end = f.y.start, f.y.end
	widest := 0
	for _, t := range y.ticks {
		widest = max(widest, len([]rune(t.label)))
	}
	f.x.start = margin + tickLength + 3 + 0.56*textSize*float64(widest) // 0.56 em is a digit and some room
	if y.label != "" {
		f.x.start += textSize + margin
	}
	f.y = y
	return f
}

// stroke is how a line is drawn.
type stroke struct {
	of     paint
	width  float64
	dashed bool
}

// style returns the stroke as declarations of CSS.
func (s stroke) style() string {
	a := fmt.Sprintf("stroke:%s;stroke-width:%s", s.of, length(s.width))
	if s.dashed {
		a += ";stroke-dasharray:3 3"
	}
	return a
}

// point is a position in a figure.
type point struct{ x, y float64 }

func (f *figure) line(s stroke, from, to point) {
	f.add(`<path d="M%s %sL%s %s" style="%s"/>`, length(from.x), length(from.y), length(to.x), length(to.y), s.style())
}

// lines connects points.
func (f *figure) lines(s stroke, points []point) {
	f.add(`<path d="%s" style="fill:none;%s"/>`, outline(points), s.style())
}

// area fills the area within points.
func (f *figure) area(of paint, points []point) {
	f.add(`<path d="%sZ" style="fill:%s"/>`, outline(points), of)
}

func (f *figure) dot(of paint, radius float64, at point) {
	r := length(radius)
	f.add(`<path d="M%s %sa%s %s 0 1 0 %s 0a%s %s 0 1 0 -%s 0" style="fill:%s"/>`,
		length(at.x-radius), length(at.y), r, r, length(2*radius), r, r, length(2*radius), of)
}

// text writes text that starts, ends or has its middle at a point, in the words of SVG: start, end
// or middle. The point is on the line that the text stands on.
func (f *figure) text(anchor string, at point, s string) {
	f.add(`<text x="%s" y="%s" text-anchor="%s">%s</text>`, length(at.x), length(at.y), anchor, html.EscapeString(s))
}

func (f *figure) add(format string, args ...any) { fmt.Fprintf(&f.body, format, args...) }

// svg returns the figure with its axes as an SVG element that scales to the available width.
func (f *figure) svg() string {
	f.drawX()
	f.drawY()
	return fmt.Sprintf(`<svg viewBox="0 0 %d %s" focusable="false" aria-hidden="true"><g style="fill:%s;font-size:%dpx">%s</g></svg>`,
		figureWidth, length(f.height), ink, textSize, f.body.String())
}

func (f *figure) drawX() {
	if len(f.x.ticks) == 0 && f.x.label == "" {
		return
	}
	base := f.y.start + margin
	f.line(stroke{of: faint, width: 1}, point{f.x.start, base}, point{f.x.end, base})
	for _, t := range f.x.ticks {
		at := f.x.at(t.value)
		f.line(stroke{of: faint, width: 0.5}, point{at, base}, point{at, base + tickLength})
		f.label("middle", point{at, base + tickLength + textSize}, t.label)
	}
	f.label("middle", point{(f.x.start + f.x.end) / 2, f.height - margin}, f.x.label)
}

func (f *figure) drawY() {
	if len(f.y.ticks) == 0 && f.y.label == "" {
		return
	}
	f.line(stroke{of: faint, width: 1}, point{f.x.start, f.y.start}, point{f.x.start, f.y.end})
	for _, t := range f.y.ticks {
		at := f.y.at(t.value)
		f.line(stroke{of: faint, width: 0.5}, point{f.x.start - tickLength, at}, point{f.x.start, at})
		f.label("end", point{f.x.start - tickLength - 3, at + textSize/3}, t.label)
	}
	if f.y.label != "" {
		x, y := length(textSize), length((f.y.start+f.y.end)/2)
		f.add(`<text x="%s" y="%s" text-anchor="middle" transform="rotate(-90 %s %s)">%s</text>`, x, y, x, y, html.EscapeString(f.y.label))
	}
}

// label is text, unless it is empty.
func (f *figure) label(anchor string, at point, s string) {
	if s != "" {
		f.text(anchor, at, s)
	}
}

func outline(points []point) string {
	var b strings.Builder
	for i, p := range points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		b.WriteString(command + length(p.x) + " " + length(p.y))
	}
	return b.String()
}

// length writes a length or coordinate with at most two decimals.
func length(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
