package tensors

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

// Chart is a bar chart of counts above an axis.
type Chart struct {
	Counts    []int64
	Low, High string // the labels at the ends of the axis
	Zero      int    // the bar that begins at 0; -1 if no bar does or it is at an end
	What      string
}

// histogram draws the distribution of a tensor's numbers.
func (p *Pane) histogram(s tensor.Profile, w, h int) []string {
	if s.MinText == "" {
		return []string{p.ws.Styles.Faint.On(cells.Cut("no number is finite", w))}
	}
	if p.other[ViewHistogram] {
		return p.magnitudes(s, w, h)
	}
	return p.chart(ValueChart(s.Histogram, "numbers", w), w, h)
}

// lengths draws the distribution of the lengths of a tensor's strings.
func (p *Pane) lengths(s tensor.StringProfile, w, h int) []string {
	return p.chart(ValueChart(s.Lengths, "strings by their bytes", w), w, h)
}

// ValueChart draws the distribution of values. what names them.
func ValueChart(h tensor.Histogram, what string, w int) Chart {
	b := h.Bars(w)
	c := Chart{Counts: b.Counts, Low: Number(b.Edge(0)), High: Number(b.Edge(len(b.Counts))), Zero: -1}
	c.What = fmt.Sprintf("%s, %s of %s", what, text.Plural(len(b.Counts), "bar"), Number(b.Width))
	if b.First < 0 && b.First > -int64(len(b.Counts)) {
		c.Zero = int(-b.First)
	}
	return c
}

// magnitudes draws the distribution of absolute values, with one bar for each power of two.
func (p *Pane) magnitudes(s tensor.Profile, w, h int) []string {
	if len(s.Magnitudes.Counts) == 0 {
		return []string{p.ws.Styles.Faint.On(cells.Cut("no finite number but 0", w))}
	}
	return p.chart(MagnitudeChart(s.Magnitudes, "numbers other than 0", w), w, h)
}

// MagnitudeChart counts magnitudes by powers of two.
func MagnitudeChart(m tensor.Magnitudes, what string, w int) Chart {
	by := (len(m.Counts) + w - 1) / max(w, 1)
	c := Chart{Zero: -1, Low: fmt.Sprintf("2^%d", m.First), High: fmt.Sprintf("2^%d", m.First+len(m.Counts))}
	for part := range slices.Chunk(m.Counts, max(by, 1)) {
		var sum int64
		for _, n := range part {
			sum += n
		}
		c.Counts = append(c.Counts, sum)
	}
	c.What = what + " by magnitude, " + text.Plural(len(c.Counts), "bar") + " of " + text.Plural(by, "power") + " of two"
	return c
}

// MaxBar is the maximum width of a bar, in cells, so that a few values do not fill the screen.
const MaxBar = 6

// Chart draws counts on h lines: a title, the largest count, the bars, and the axis with its ends.
func (p *Pane) chart(c Chart, w, h int) []string {
	return c.Draw(&p.ws.Styles, p.scaled[ViewHistogram], w, h)
}

// Draw draws the chart in h lines of w cells.
func (c Chart) Draw(st *theme.Styles, logarithmic bool, w, h int) []string {
	wide := min(max(w/max(len(c.Counts), 1), 1), MaxBar)
	span := wide * len(c.Counts)
	scale := "up to " + text.Count(slices.Max(c.Counts))
	if logarithmic {
		scale += ", logarithmic"
	}
	out := []string{st.Faint.On(cells.Cut(c.What, w)), st.Faint.On(cells.Cut(scale, w))}
	for _, line := range plot.Bars(plot.Shares(c.Counts, logarithmic), wide, max(h-len(out)-2, 1)) {
		out = append(out, st.Node.On(line))
	}
	return append(out, st.Frame.On(c.Axis(wide)), st.Faint.On(cells.Cut(c.Ends(wide, max(span, 1)), w)))
}

// Axis returns the line below the bars, with a tick at zero if zero is inside.
func (c Chart) Axis(wide int) string {
	n := wide * len(c.Counts)
	if c.Zero < 0 {
		return cells.Rule(n)
	}
	at := c.Zero * wide
	return cells.Rule(at) + cells.Corners[cells.Left|cells.Right|cells.Down] + cells.Rule(n-at-1)
}

// Ends returns the numbers below the axis.
func (c Chart) Ends(wide, span int) string {
	gap := span - cells.Width(c.Low) - cells.Width(c.High)
	if gap < 1 {
		return c.Low + " to " + c.High
	}
	at := c.Zero*wide - cells.Width(c.Low) // of the zero in the gap
	if c.Zero < 0 || at < 1 || at > gap-2 {
		return c.Low + cells.Blanks(gap) + c.High
	}
	return c.Low + cells.Blanks(at) + "0" + cells.Blanks(gap-at-1) + c.High
}
