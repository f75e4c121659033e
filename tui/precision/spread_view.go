package precision

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/graphops/calibration"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/plot"
	"lathe/tui/shell"
	"lathe/tui/tensors"
	"lathe/tui/workspace"
)

// Legend returns one line for each calibration method: its range, or why it has none.
func (d *SpreadDialog) Legend() []string {
	p := d.Picture()
	if p == nil || p.Err != nil {
		return nil
	}
	var out []string
	for _, name := range p.order {
		r := p.ranges[name]
		mark := "  "
		if name == d.DrawnMethod() {
			mark = "▸ "
		}
		words := fmt.Sprintf("%s%s %s to %s", mark, cells.Fit(name, 13), tensors.Number(r.Low), tensors.Number(r.High))
		if p.beyond[name] != "" {
			words += ", " + p.beyond[name]
		}
		out = append(out, words)
	}
	for _, name := range d.missing() {
		out = append(out, fmt.Sprintf("  %s none: %s", cells.Fit(name, 13), cells.Prose(p.without[name])))
	}
	return out
}

// missing returns the calibration methods that have no range, sorted by name.
func (d *SpreadDialog) missing() []string {
	var out []string
	for name := range d.Picture().without {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// waiting returns the line that is shown while there is no picture: the progress of reading, or
// that reading was stopped.
func (d *SpreadDialog) waiting() []string {
	keys := d.WS.Keys
	if d.asking.IsOpen() {
		words := "reading"
		if p, _, _ := d.asking.Progress(); workspace.SaidOf(p) != "" {
			words = workspace.SaidOf(p)
		}
		return []string{words + "; " + keys.Key(PlaceSpread, shell.ActionCancel) + " stops it"}
	}
	return []string{"stopped; " + keys.Key(PlaceSpread, tensors.ActionReadAgain) + " reads it again"}
}

// trouble explains why there is no picture, and what the person can do.
func (d *SpreadDialog) trouble() []string {
	out := cells.SafeLines(d.Picture().Err.Error())
	if d.from.Settings.Data == "" && d.subjects[d.At].weight == nil {
		out = append(out, d.WS.Keys.Key(PlaceQuantize, ActionData)+" in the list of nodes takes a file of samples")
	}
	return out
}

// View implements shell.Pane.
func (d *SpreadDialog) View(bool) []string {
	st := &d.WS.Styles
	p := d.Picture()
	var lines []string
	switch {
	case p == nil:
		for _, s := range d.waiting() {
			lines = append(lines, cells.Cut(s, d.w))
		}
		return cells.Block(lines, d.w, d.H)
	case p.Err != nil:
		for _, s := range d.trouble() {
			lines = append(lines, cells.WrapWords(s, d.w)...)
		}
		return cells.Block(lines, d.w, d.H)
	}
	legend := d.Legend()
	room := max(d.H-len(legend), 0)
	lines = append(lines, st.Faint.On(cells.Cut(p.what+d.scale(), d.w)))
	if len(p.counts) > 0 {
		lines = append(lines, d.bars(max(room-4, 1))...)
	}
	lines = cells.Block(lines, d.w, room)
	for _, s := range legend {
		if strings.HasPrefix(s, "▸") {
			s = st.Key.On(cells.Cut(s, d.w))
		} else {
			s = cells.Cut(s, d.w)
		}
		lines = append(lines, s)
	}
	return cells.Block(lines, d.w, d.H)
}

func (d *SpreadDialog) scale() string {
	if d.log {
		return ", logarithmic scale"
	}
	return ""
}

// joined adds up neighbouring bins so that there are at most n bars. width is the range of values
// that a bar covers.
func (p *SpreadPicture) joined(n int) (bars []int64, width float64) {
	by := max((len(p.counts)+n-1)/max(n, 1), 1)
	for part := range slices.Chunk(p.counts, by) {
		var sum int64
		for _, c := range part {
			sum += c
		}
		bars = append(bars, sum)
	}
	return bars, (p.high - p.low) / float64(len(p.counts)) * float64(by)
}

// bars draws the histogram on h lines. Bars outside of the range that is mapped to integers have
// another style. Lines below show the axis, that range, and the values at the ends.
func (d *SpreadDialog) bars(h int) []string {
	st, p := &d.WS.Styles, d.Picture()
	r, ranged := p.ranges[d.DrawnMethod()]
	bars, width := p.joined(d.w)
	wide := min(max(d.w/max(len(bars), 1), 1), tensors.MaxBar)
	from, to := 0, len(bars)
	if ranged {
		from, to = p.within(r, width, len(bars))
	}
	shares := plot.Shares(bars, d.log)
	part := func(lo, hi int) []string { return plot.Bars(shares[lo:hi], wide, h) }
	before, inside, after := part(0, from), part(from, to), part(to, len(bars))
	out := make([]string, 0, h+3)
	for y := range h {
		out = append(out, st.Bad.On(before[y])+st.Node.On(inside[y])+st.Bad.On(after[y]))
	}
	span := wide * len(bars)
	if ranged {
		out = append(out, st.Key.On(rangeLine(from*wide, to*wide, span, r.Low < p.low, r.High > p.high+width)))
	} else {
		out = append(out, st.Frame.On(cells.Rule(span)))
	}
	c := tensors.Chart{Counts: bars, Low: tensors.Number(p.low), High: tensors.Number(p.low + width*float64(len(bars))), Zero: -1}
	if p.low < 0 && p.high > 0 {
		c.Zero = int(-p.low / width)
	}
	out = append(out, st.Faint.On(cells.Cut(c.Ends(wide, max(span, 1)), d.w)))
	return out
}

// within returns the indices of the bars that are at least partly inside a range.
func (p *SpreadPicture) within(r calibration.Range, width float64, n int) (from, to int) {
	if !(width > 0) {
		return 0, n
	}
	at := func(x float64, round func(float64) float64) int {
		return int(min(max(round((x-p.low)/width), 0), float64(n)))
	}
	from, to = at(r.Low, math.Floor), at(r.High, math.Ceil)
	return from, max(from, to)
}

// rangeLine draws a range below the bars, as in "[───]". An end that lies beyond the last bar is
// drawn as an arrow.
func rangeLine(from, to, span int, beyondLow, beyondHigh bool) string {
	line := []rune(strings.Repeat(" ", span))
	for i := from; i < to; i++ {
		line[i] = '─'
	}
	if to > from {
		line[from], line[to-1] = '[', ']'
		if beyondLow {
			line[from] = '‹'
		}
		if beyondHigh {
			line[to-1] = '›'
		}
	}
	return string(line)
}

// Said implements shell.Pane.
func (d *SpreadDialog) Said() string {
	words := []string{d.Title()}
	switch p := d.Picture(); {
	case p == nil:
		words = append(words, d.waiting()...)
	case p.Err != nil:
		words = append(words, d.trouble()...)
	default:
		words = append(words, p.what)
		if i := peak(p.counts); i >= 0 {
			width := (p.high - p.low) / float64(len(p.counts))
			words = append(words, fmt.Sprintf("numbers from %s to %s, most of them near %s, %s", tensors.Number(p.low), tensors.Number(p.high), tensors.Number(p.low+(float64(i)+0.5)*width), text.Count(p.counts[i])))
		}
		words = append(words, d.Legend()...)
	}
	return strings.Join(words, "\n")
}

// peak returns the position of the largest count, or -1.
func peak(counts []int64) int {
	if len(counts) == 0 {
		return -1
	}
	return slices.Index(counts, slices.Max(counts))
}
