package forms

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lathe/bench"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/plot"
)

// SpreadRow is the histogram of the run times of one model or variant. Several are drawn below each
// other with a common axis.
type SpreadRow struct {
	said   string // name and figures, safe to print
	work   string // rows of other work have another axis
	median float64
	edges  func(i int) (from, to float64) // of a bin, in milliseconds
	Counts []int
	Beyond int // runs past the last bin
}

// LiveRows returns the rows of a measurement in progress.
func LiveRows(sights []bench.Sight) []SpreadRow {
	out := make([]SpreadRow, len(sights))
	for i, s := range sights {
		out[i] = SpreadRow{said: sightText(s), work: s.Work, median: inMilliseconds(s.Median), edges: s.Spread.Edges, Counts: s.Spread.Counts}
		out[i].cutTail()
	}
	return out
}

// sightText describes how far a measurement is: its phase, the median so far and the number of
// runs.
func sightText(s bench.Sight) string {
	words := []string{cells.Label(s.Name) + ": " + s.Phase}
	if s.Median > 0 {
		words = append(words, "p50 "+bench.MedianText(numberOf(s.Median), intervalOf(s)))
	}
	if s.Runs > 0 {
		words = append(words, text.Plural(s.Runs, "run"))
	}
	return strings.Join(words, ", ")
}

// intervalOf returns the confidence interval of the median so far, or nil.
func intervalOf(s bench.Sight) *[2]bench.Number {
	if s.Low <= 0 || s.High <= 0 {
		return nil
	}
	return &[2]bench.Number{numberOf(s.Low), numberOf(s.High)}
}

func numberOf(d time.Duration) bench.Number { return bench.Number(inMilliseconds(d)) }

func inMilliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// EndRows returns the rows of a finished measurement.
func EndRows(r *bench.Report) []SpreadRow {
	out := make([]SpreadRow, len(r.Runs))
	for i, run := range r.Runs {
		h := run.Histogram
		out[i] = SpreadRow{
			said: cells.Label(run.Name) + ": p50 " + run.MedianText(), work: run.Work(), median: float64(run.P50), Counts: h.Counts, Beyond: h.Beyond,
			edges: func(i int) (float64, float64) {
				return float64(h.From) + float64(h.Width)*float64(i), float64(h.From) + float64(h.Width)*float64(i+1)
			},
		}
	}
	return out
}

// tailShare is the share of the longest runs that the drawing may leave out. Without it, one run
// that took a hundred times as long would squeeze all others into one bar.
const tailShare = 0.005

// cutTail removes the longest runs from the bins.
func (r *SpreadRow) cutTail() {
	total := 0
	for _, n := range r.Counts {
		total += n
	}
	for last := len(r.Counts) - 1; last > 0 && float64(r.Beyond+r.Counts[last]) <= tailShare*float64(total); last-- {
		r.Beyond += r.Counts[last]
		r.Counts = r.Counts[:last]
	}
}

// ends returns the range of times that the bins of all rows cover. It returns false if there are no
// bins.
func ends(rows []SpreadRow) (low, high float64, ok bool) {
	for _, r := range rows {
		if len(r.Counts) == 0 {
			continue
		}
		from, _ := r.edges(0)
		_, to := r.edges(len(r.Counts) - 1)
		if !ok {
			low, high = from, to
		}
		low, high, ok = min(low, from), max(high, to), true
	}
	return low, high, ok && high > low
}

// onto distributes the runs over n cells of equal width between low and high, and scales them so
// that the largest is 1.
func (r *SpreadRow) onto(n int, low, high float64) []float64 {
	out := make([]float64, n)
	width := (high - low) / float64(n)
	for i, count := range r.Counts {
		from, to := r.edges(i)
		first, last := cellOf((from-low)/width, n), cellOf((to-low)/width, n)
		for c := first; c <= last; c++ {
			lo, hi := low+width*float64(c), low+width*float64(c+1)
			if part := min(to, hi) - max(from, lo); part > 0 && to > from {
				out[c] += float64(count) * part / (to - from)
			}
		}
	}
	most := slices.Max(out)
	for i := range out {
		if most > 0 {
			out[i] /= most
		}
	}
	return out
}

func cellOf(x float64, n int) int { return min(max(int(x), 0), n-1) }

// SpreadLines draws rows one below the other above a shared axis, each with its text, its bars and
// a mark at the median. Rows of different work are drawn above axes of their own.
func SpreadLines(rows []SpreadRow, w int) (out []string) {
	var works []string
	for _, r := range rows {
		if !slices.Contains(works, r.work) {
			works = append(works, r.work)
		}
	}
	for _, work := range works {
		same := slices.DeleteFunc(slices.Clone(rows), func(r SpreadRow) bool { return r.work != work })
		out = append(out, aboveOneAxis(same, heightFor(len(rows)), w)...)
	}
	return out
}

// aboveOneAxis draws rows above a shared axis.
func aboveOneAxis(rows []SpreadRow, height, w int) (out []string) {
	low, high, ok := ends(rows)
	wide := w - spreadIndent
	for i := range rows {
		r := &rows[i]
		words := r.said
		if r.Beyond > 0 {
			words += fmt.Sprintf(", %s not drawn", text.Plural(r.Beyond, "slower run"))
		}
		out = append(out, words)
		if !ok || len(r.Counts) == 0 || wide < 1 {
			continue
		}
		for _, line := range plot.Bars(r.onto(wide, low, high), 1, height) {
			out = append(out, indented(line))
		}
		mark := []rune(strings.Repeat("─", wide))
		if at := (r.median - low) / (high - low) * float64(wide); at >= 0 && at < float64(wide) {
			mark[int(at)] = '▲'
		}
		out = append(out, indented(string(mark)))
	}
	if ok && wide > 0 {
		out = append(out, indented(axisEnds(bench.Latency(bench.Number(low)), bench.Latency(bench.Number(high)), wide)))
	}
	return out
}

const spreadIndent = 2

func indented(line string) string { return strings.Repeat(" ", spreadIndent) + line }

// heightFor returns the height of each row's bars, so that several rows fit on the screen.
func heightFor(rows int) int {
	if rows <= 2 {
		return 3
	}
	return 1
}

// axisEnds returns a line with the two ends of an axis.
func axisEnds(low, high string, w int) string {
	return low + strings.Repeat(" ", max(w-cells.Width(low)-cells.Width(high), 1)) + high
}

// PhaseLines draws, for each model, how long it takes to start up: session creation, first run and
// warm-up. For a run on a device it also draws the parts of one run.
func PhaseLines(r *bench.Report, w int) []string {
	var out []string
	for _, run := range r.Runs {
		parts := []phasePart{
			{"session", run.SessionMS}, {"first run", run.FirstRunMS}, {"first at another shape", run.NewShapeMS}, {"warm-up", &run.Phases.WarmUp},
		}
		if line := phaseBar(parts, w-spreadIndent); line != nil {
			out = append(out, cells.Label(run.Name)+": start and warm-up")
			out = append(out, line...)
		}
		if d := run.Phases.Device; d != nil {
			waits := max(d.Complete-d.Enqueue, 0)
			out = append(out, cells.Label(run.Name)+": one run on the device")
			out = append(out, phaseBar([]phasePart{{"inputs", &d.ToDevice}, {"enqueued", &d.Enqueue}, {"then at work", &waits}, {"outputs", &d.ToHost}}, w-spreadIndent)...)
		}
	}
	return out
}

// phasePart is a part of a bar; it is left out if ms is nil.
type phasePart struct {
	name string
	ms   *bench.Number
}

// shades distinguish the parts of a bar without colors.
var shades = []string{"█", "▓", "▒", "░"}

// phaseBar draws times as the parts of one bar, and a legend below it. Each part is at least one
// cell wide. It returns nil if there are no times.
func phaseBar(parts []phasePart, w int) []string {
	total := 0.0
	for _, p := range parts {
		if p.ms != nil {
			total += float64(*p.ms)
		}
	}
	if total <= 0 || w < 2*len(parts) {
		return nil
	}
	var line, legend strings.Builder
	at, sum := 0, 0.0
	for i, p := range parts {
		if p.ms == nil || *p.ms <= 0 {
			continue
		}
		sum += float64(*p.ms)
		to := min(max(int(sum/total*float64(w)+0.5), at+1), w)
		line.WriteString(strings.Repeat(shades[i%len(shades)], to-at))
		at = to
		fmt.Fprintf(&legend, "%s %s %s  ", shades[i%len(shades)], p.name, bench.Latency(*p.ms))
	}
	return []string{indented(line.String()), indented(strings.TrimRight(legend.String(), " "))}
}

// RatioLines draws comparisons with their intervals on one axis, with a mark where both are equally
// fast.
func RatioLines(list []bench.Comparison, w int) []string {
	low, high, any := 1.0, 1.0, false
	for _, c := range list {
		if c.CI95 != nil {
			low, high, any = min(low, float64(c.CI95[0])), max(high, float64(c.CI95[1])), true
		}
	}
	wide := w - spreadIndent
	if !any || wide < 3 {
		return nil
	}
	margin := max(0.1*(high-low), 0.005)
	low, high = low-margin, high+margin
	at := func(x float64) int { return cellOf((x-low)/(high-low)*float64(wide), wide) }
	var out []string
	for _, c := range list {
		if c.CI95 == nil {
			continue
		}
		line := []rune(strings.Repeat("·", wide))
		line[at(1)] = '┃'
		from, to := at(float64(c.CI95[0])), at(float64(c.CI95[1]))
		for i := from; i <= to; i++ {
			line[i] = '━'
		}
		line[from], line[to] = '┣', '┫'
		line[at(c.Centre())] = '●'
		out = append(out, ratioText(c), indented(string(line)))
	}
	return append(out, indented(axisEnds(fmt.Sprintf("%.3g", low), fmt.Sprintf("%.3g times as long", high), wide)))
}

// ratioText describes a comparison in short.
func ratioText(c bench.Comparison) string {
	sure := "~ "
	if c.Significant {
		sure = ""
	}
	return fmt.Sprintf("%s against %s: %s%.4g (%.4g … %.4g)", cells.Label(c.B), cells.Label(c.A), sure, c.Centre(), float64(c.CI95[0]), float64(c.CI95[1]))
}

// drawnReport returns the report of a measurement, with charts after its first paragraph.
func drawnReport(words []string, r *bench.Report, w int) []string {
	at := max(slices.Index(words, ""), 0)
	pictures := slices.Concat([]string{""}, RatioLines(r.Comparisons, w), SpreadLines(EndRows(r), w), PhaseLines(r, w))
	return slices.Concat(words[:at], pictures, words[at:])
}
