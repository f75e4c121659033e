package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"lathe/graphops/dim"
	"lathe/session/ort/ep"
	"lathe/session/text"
)

// WriteText writes the report as text for people that fits one screen. It begins with the
// headlines. Names are made safe to print.
func (r *Report) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	for _, line := range r.Headlines() {
		p.Line("%s", line)
	}
	if err := p.Err(); err != nil {
		return err
	}
	return r.WriteDetails(w)
}

// WriteDetails writes everything that WriteText writes below the headlines. The table also has a
// row for each of some earlier runs.
func (r *Report) WriteDetails(w io.Writer, earlier ...Run) error {
	p := text.NewPrinter(w)
	p.Line("")
	p.Table(table(slices.Concat(r.Runs, earlier)))
	if r.meansDiffer() {
		p.Line("samples/s comes from the mean of all runs and p50 is a median, so the two can differ")
	}
	for _, run := range r.Runs {
		if line := run.unevenly(); line != "" {
			p.Line("%s", line)
		}
	}
	if slices.ContainsFunc(r.Comparisons, Comparison.IsApart) {
		p.Line("%s", RatioOfPairs)
	}
	if advice := r.Advice(); advice != "" {
		p.Line("%s", advice)
	}
	if err := p.Err(); err != nil {
		return err
	}
	return r.writeFacts(w)
}

// writeFacts writes what is known about each run and about the machine.
func (r *Report) writeFacts(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("")
	for _, run := range r.Runs {
		p.Line("%s", text.Clean(run.Name))
		p.Line("   %s; %s in %s, ended by %s", run.Verdict, text.Plural(run.Samples, "run"), text.Plural(run.Blocks, "block"), run.Stopped)
		p.Line("   %s", run.place())
		if run.Decode != nil {
			p.Line("   %s", run.Decode)
		}
		if line := run.beginnings(); line != "" {
			p.Line("   %s", line)
		}
		if run.GraphCapture != nil {
			p.Line("   %s", run.GraphCapture)
		}
		if run.Phases.Device != nil {
			p.Line("   %s", run.Phases.Device)
		}
		if run.Queue != nil {
			p.Line("   %s", run.Queue)
		}
		if run.Memory != nil {
			p.Line("   %s", run.Memory)
			if run.Memory.Decode != nil {
				p.Line("   %s", run.Memory.Decode)
			}
		}
	}
	for _, c := range r.Comparisons {
		for _, warning := range c.Warnings {
			p.Line("%s against %s: %s", text.Clean(c.B), text.Clean(c.A), warning.Text)
		}
	}
	p.Line("%s", r.Environment)
	for _, g := range r.Environment.GPUs {
		p.Line("%s", g)
	}
	for _, warning := range r.Warnings {
		p.Line("warning: %s", text.Clean(warning.Text))
	}
	return p.Err()
}

// Headlines returns the main results as sentences: how long a run takes if there is one subject,
// otherwise the result of each comparison.
func (r *Report) Headlines() []string {
	if len(r.Comparisons) == 0 {
		return []string{r.RunHeadline(r.Runs[0])}
	}
	var lines []string
	for _, c := range r.Comparisons {
		lines = append(lines, r.ComparisonHeadline(c))
	}
	return lines
}

// RunHeadline says how long a run takes, how precisely that is known, and why it may be doubtful.
func (r *Report) RunHeadline(run Run) string {
	line := fmt.Sprintf("%s takes %s, %s samples per second", text.Clean(run.Name), run.MedianText()+run.conditions(), PerSecond(run.Throughput))
	if run.meanDiffers() {
		line += " on average"
	}
	if q := run.Queue; q != nil {
		line = fmt.Sprintf("%s answers in %s, of %s requests per second it answers %s", text.Clean(run.Name), run.MedianText()+run.conditions(), PerSecond(q.Rate), PerSecond(q.PerS))
	}
	return withNoise(line, r.Noise(run.Name))
}

// conditions returns the batch, the sizes and the number of threads of a run, as far as they were
// chosen, such as " at batch=8, sequence=64, 1 thread". It is safe to print.
func (r Run) conditions() string {
	out := text.Clean(r.Sizes.At())
	var more []string
	if r.Batch > 1 && !slices.ContainsFunc(r.Sizes, func(s dim.Size) bool { return s.N == r.Batch }) {
		more = append(more, fmt.Sprintf("batch %d", r.Batch))
	}
	if r.Threads > 0 {
		more = append(more, text.Plural(int(r.Threads), "thread"))
	}
	switch {
	case len(more) == 0:
		return out
	case out == "":
		return " with " + strings.Join(more, ", ")
	}
	return out + ", " + strings.Join(more, ", ")
}

// ComparisonHeadline says which of two runs is faster, and why that may be doubtful.
func (r *Report) ComparisonHeadline(c Comparison) string {
	line := c.headline()
	if c.Along == alongBatch {
		line += r.scaling(c)
	}
	line += text.Clean(r.sizesOf(c).At())
	return withNoise(line, r.PairNoise(c))
}

// sizesOf returns the sizes of free axes to be mentioned with a comparison: those that are equal in
// both runs, and those that only one of them has. Sizes that differ are left out, because the names
// of the runs contain them.
func (r *Report) sizesOf(c Comparison) dim.Sizes {
	a, b := r.runOf(c.A), r.runOf(c.B)
	if a == nil || b == nil {
		return nil
	}
	all, first, differs := slices.Concat(a.Sizes, b.Sizes), map[string]int64{}, map[string]bool{}
	for _, size := range all {
		n, again := first[size.Name]
		differs[size.Name] = differs[size.Name] || again && n != size.N
		first[size.Name] = size.N
	}
	var out dim.Sizes
	for _, size := range all {
		if !differs[size.Name] {
			differs[size.Name] = true // list it only once
			out = append(out, size)
		}
	}
	return out
}

// scaling returns a text that says how the larger batch changes the samples per second, for the
// headline of a comparison along the batch. It returns "" if the report does not contain both runs.
func (r *Report) scaling(c Comparison) string {
	a, b := r.runOf(c.A), r.runOf(c.B)
	if a == nil || b == nil || !(c.Centre() > 0) {
		return ""
	}
	more := float64(max(b.Batch, 1)) / float64(max(a.Batch, 1)) / c.Centre()
	return fmt.Sprintf(": %.3g times as many samples per second", more)
}

// runOf returns the run with a name, or nil.
func (r *Report) runOf(name string) *Run {
	for i := range r.Runs {
		if r.Runs[i].Name == name {
			return &r.Runs[i]
		}
	}
	return nil
}

// headline says which subject is faster, or that the difference is within noise. If there are
// rounds, it uses their ratio, because the interval and Significant are about that ratio. The ratio
// of the two medians can be outside of the interval if the machine's speed changed during the
// measurement.
func (c Comparison) headline() string {
	a, b := text.Clean(c.A), text.Clean(c.B)
	ratio := c.Centre()
	between := ""
	if c.CI95 != nil {
		between = fmt.Sprintf(", 95 %% between %.4g and %.4g", float64(c.CI95[0]), float64(c.CI95[1]))
	}
	what := ""
	switch {
	case !c.Significant && c.CI95 != nil && c.CI99 != nil && !contains(c.CI95, 1):
		return fmt.Sprintf("%s ~ %s: difference not certain (ratio %.4g%s; it counts from 99 %%, which is between %.4g and %.4g and includes 1)", b, a, ratio, between, float64(c.CI99[0]), float64(c.CI99[1]))
	case !c.Significant:
		return fmt.Sprintf("%s ~ %s: difference within noise (ratio %.4g%s)", b, a, ratio, between)
	case ratio <= 1/plainTimes:
		what = fmt.Sprintf("is %.2f times as fast as", 1/ratio)
	case ratio < 1:
		what = fmt.Sprintf("takes %.1f %% less time than", 100*(1-ratio))
	case ratio < plainTimes:
		what = fmt.Sprintf("takes %.1f %% more time than", 100*(ratio-1))
	default:
		what = fmt.Sprintf("takes %.2f times as long as", ratio)
	}
	return fmt.Sprintf("%s %s %s (ratio %.4g%s)", b, what, a, ratio, between)
}

// contains reports whether an interval contains x.
func contains(interval *[2]Number, x Number) bool { return interval[0] <= x && x <= interval[1] }

// Centre returns the ratio that the interval and Significant are about: that of the rounds, if
// there are any, otherwise the ratio of the medians.
func (c Comparison) Centre() float64 {
	if c.Round != nil {
		return float64(*c.Round)
	}
	return float64(c.Ratio)
}

// RatioOfPairs explains a ratio that IsApart from that of the medians.
const RatioOfPairs = "a ratio compares runs that were made right after each other; p50 has all runs, and the machine's speed changed between them"

// IsApart reports whether the ratio of the medians is another one than Centre returns, so that the
// headline seems to contradict the table.
func (c Comparison) IsApart() bool {
	return c.Ratio > 0 && math.Abs(float64(c.Ratio)/c.Centre()-1) > plainApart
}

// plainApart is how far the two ratios may be apart without a remark.
const plainApart = 0.05

// plainTimes is the ratio above which a headline says "1.5 times as fast" and not "takes 33 % less
// time".
const plainTimes = 1.2

// beginnings returns a text with the times before a model runs at its final speed: creating the
// session, the first run, the warm-up.
func (r Run) beginnings() string {
	var parts []string
	for _, p := range []struct {
		what string
		ms   *Number
	}{{"session", r.SessionMS}, {"first run", r.FirstRunMS}, {"first run at another shape", r.NewShapeMS}} {
		if p.ms != nil {
			parts = append(parts, p.what+" "+Latency(*p.ms))
		}
	}
	if r.Phases.WarmUp > 0 {
		parts = append(parts, "warm after "+Latency(r.Phases.WarmUp))
	}
	return strings.Join(parts, ", ")
}

// String describes the memory in the final state and the maximum.
func (m *Memory) String() string {
	var parts []string
	for _, p := range []struct {
		what  string
		bytes *int64
	}{
		{"resident", m.Steady.Resident},
		{"at most", m.Steady.Peak},
		{"reserved by ONNX Runtime for values", m.Steady.Arena},
		{"on the device", m.Steady.Device},
		{"of it in use at most", m.Steady.DevicePeak},
		{"of the process there by the driver's count", m.Steady.Driver},
	} {
		if p.bytes != nil {
			parts = append(parts, text.Bytes(*p.bytes)+" "+p.what)
		}
	}
	if m.Silent != "" {
		parts = append(parts, text.Clean(m.Silent)+" does not report the device's memory")
	}
	if len(parts) == 0 {
		return "memory: not reported by the system"
	}
	return "memory: " + strings.Join(parts, ", ")
}

// labelWidth is the largest number of characters of a name in the table, chosen so that the table
// fits 80 columns.
const labelWidth = 24

// apartMedian is how far, relative to it, the median of all runs may be from that of the blocks without
// a remark.
const apartMedian = 0.15

// unevenly explains a median that is not in the middle of the histogram of all runs; otherwise it is "".
func (r Run) unevenly() string {
	middle, ok := r.Histogram.middle()
	if !ok || r.Decode != nil || !(r.P50 > 0) || math.Abs(float64(middle/r.P50)-1) <= apartMedian {
		return ""
	}
	return fmt.Sprintf("%s: the middle of the histogram is at %s; p50 counts each block of time the same, also if a block has more runs because the machine is fast", text.Clean(r.Name), Latency(middle))
}

// plainMean is how far, relative to the median, the mean time of a run may be from it without a
// remark.
const plainMean = 0.05

// meanDiffers reports whether the samples per second do not follow from the median. They follow
// from the mean of all runs.
func (r Run) meanDiffers() bool {
	if !(r.P50 > 0) || !(r.Throughput > 0) || r.Queue != nil || r.Concurrency > 1 {
		return false
	}
	implied := float64(max(r.Batch, 1)) * 1000 / float64(r.P50)
	return math.Abs(implied/float64(r.Throughput)-1) > plainMean
}

// meansDiffer reports whether the samples per second look like a contradiction: they do not follow
// from the median of a run, or of two runs with the same batch, the one with the lower median has
// fewer.
func (r *Report) meansDiffer() bool {
	for i, a := range r.Runs {
		if a.meanDiffers() {
			return true
		}
		for _, b := range r.Runs[:i] {
			if max(a.Batch, 1) == max(b.Batch, 1) && a.Queue == nil && (a.P50 < b.P50) == (a.Throughput < b.Throughput) && a.P50 != b.P50 && a.Throughput != b.Throughput {
				return true
			}
		}
	}
	return false
}

// table returns the table of runs. It has only the columns that fit 80 characters; the JSON
// document has all values.
func table(runs []Run) text.Table {
	t := text.Table{Titles: []string{"", ">p50", ">95 % interval", ">p90", ">p99", ">samples/s"}}
	for i, label := range Labels(runs, labelWidth) {
		run := runs[i]
		t.Add(label, Latency(run.P50), IntervalText(run.P50, run.CI95), latencyOf(run.P90), latencyOf(run.P99), PerSecond(run.Throughput))
	}
	return t
}

// place returns a text with what the table has no column for: the provider, the batch, the
// threads and the slowest time.
func (r Run) place() string {
	by := r.EP
	if r.EPAttached != nil {
		by = ep.Runs(*r.EPAttached, r.NodesByEP)
	}
	threads := ""
	if r.Threads > 0 {
		threads = ", " + text.Plural(int(r.Threads), "thread")
	}
	return fmt.Sprintf("%s, batch %d%s; the slowest took %s", text.Clean(by), max(r.Batch, 1), threads, Latency(r.Max))
}
