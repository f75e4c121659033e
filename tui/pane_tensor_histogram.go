package tui

import (
	"fmt"
	"slices"

	"lathe/graphops/tensor"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/plot"
	"lathe/tui/theme"
)

// histogramOf returns the histogram in the answer to an inquiry: of numbers, or of the lengths of
// strings. It returns false for other answers.
func histogramOf(answer any) (tensor.Histogram, bool) {
	switch a := answer.(type) {
	case tensor.Profile:
		return a.Histogram, true
	case tensor.StringProfile:
		return a.Lengths, true
	default:
		return tensor.Histogram{}, false
	}
}

// chart is a bar chart of counts above an axis.
type chart struct {
	counts    []int64
	low, high string // the labels at the ends of the axis
	zero      int    // the bar that begins at 0; -1 if no bar does or it is at an end
	what      string
}

// histogram draws the distribution of a tensor's numbers.
func (p *tensorPane) histogram(s tensor.Profile, w, h int) []string {
	if s.MinText == "" {
		return []string{p.ws.Styles.Faint.On(cells.Cut("no number is finite", w))}
	}
	if p.other[viewHistogram] {
		return p.magnitudes(s, w, h)
	}
	return p.chart(valueChart(s.Histogram, "numbers", w), w, h)
}

// lengths draws the distribution of the lengths of a tensor's strings.
func (p *tensorPane) lengths(s tensor.StringProfile, w, h int) []string {
	return p.chart(valueChart(s.Lengths, "strings by their bytes", w), w, h)
}

func valueChart(h tensor.Histogram, what string, w int) chart {
	b := h.Bars(w)
	c := chart{counts: b.Counts, low: number(b.Edge(0)), high: number(b.Edge(len(b.Counts))), zero: -1}
	c.what = fmt.Sprintf("%s, %s of %s", what, text.Plural(len(b.Counts), "bar"), number(b.Width))
	if b.First < 0 && b.First > -int64(len(b.Counts)) {
		c.zero = int(-b.First)
	}
	return c
}

// magnitudes draws the distribution of absolute values, with one bar for each power of two.
func (p *tensorPane) magnitudes(s tensor.Profile, w, h int) []string {
	if len(s.Magnitudes.Counts) == 0 {
		return []string{p.ws.Styles.Faint.On(cells.Cut("no finite number but 0", w))}
	}
	return p.chart(magnitudeChart(s.Magnitudes, "numbers other than 0", w), w, h)
}

// magnitudeChart counts magnitudes by powers of two.
func magnitudeChart(m tensor.Magnitudes, what string, w int) chart {
	by := (len(m.Counts) + w - 1) / max(w, 1)
	c := chart{zero: -1, low: fmt.Sprintf("2^%d", m.First), high: fmt.Sprintf("2^%d", m.First+len(m.Counts))}
	for part := range slices.Chunk(m.Counts, max(by, 1)) {
		var sum int64
		for _, n := range part {
			sum += n
		}
		c.counts = append(c.counts, sum)
	}
	c.what = what + " by magnitude, " + text.Plural(len(c.counts), "bar") + " of " + text.Plural(by, "power") + " of two"
	return c
}

// maxBar is the maximum width of a bar, in cells, so that a few values do not fill the screen.
const maxBar = 6

// chart draws counts on h lines: a title, the largest count, the bars, and the axis with its ends.
func (p *tensorPane) chart(c chart, w, h int) []string {
	return c.draw(&p.ws.Styles, p.scaled[viewHistogram], w, h)
}

func (c chart) draw(st *theme.Styles, logarithmic bool, w, h int) []string {
	wide := min(max(w/max(len(c.counts), 1), 1), maxBar)
	span := wide * len(c.counts)
	scale := "up to " + text.Count(slices.Max(c.counts))
	if logarithmic {
		scale += ", logarithmic"
	}
	out := []string{st.Faint.On(cells.Cut(c.what, w)), st.Faint.On(cells.Cut(scale, w))}
	for _, line := range plot.Bars(plot.Shares(c.counts, logarithmic), wide, max(h-len(out)-2, 1)) {
		out = append(out, st.Node.On(line))
	}
	return append(out, st.Frame.On(c.axis(wide)), st.Faint.On(cells.Cut(c.ends(wide, max(span, 1)), w)))
}

// axis returns the line below the bars, with a tick at zero if zero is inside.
func (c chart) axis(wide int) string {
	n := wide * len(c.counts)
	if c.zero < 0 {
		return cells.Rule(n)
	}
	at := c.zero * wide
	return cells.Rule(at) + cells.Corners[cells.Left|cells.Right|cells.Down] + cells.Rule(n-at-1)
}

// ends returns the numbers below the axis.
func (c chart) ends(wide, span int) string {
	gap := span - cells.Width(c.low) - cells.Width(c.high)
	if gap < 1 {
		return c.low + " to " + c.high
	}
	at := c.zero*wide - cells.Width(c.low) // of the zero in the gap
	if c.zero < 0 || at < 1 || at > gap-2 {
		return c.low + cells.Blanks(gap) + c.high
	}
	return c.low + cells.Blanks(at) + "0" + cells.Blanks(gap-at-1) + c.high
}
