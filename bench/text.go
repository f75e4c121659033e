package bench

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"lathe/session/text"
)

// WriteText writes the report for people on one screen: the answer first, names
// cleaned.
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

// WriteDetails writes what stands below the answer.
func (r *Report) WriteDetails(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("")
	p.Table(r.table())
	p.Line("")
	for i, run := range r.Runs {
		p.Line("%s  %s", letter(i), text.Clean(run.Name))
		p.Line("   %s; %s in %s, ended by %s", run.Verdict, text.Plural(run.Samples, "run"), text.Plural(run.Blocks, "block"), run.Stopped)
		if line := run.beginnings(); line != "" {
			p.Line("   %s", line)
		}
		if run.Phases.Device != nil {
			p.Line("   %s", run.Phases.Device)
		}
		if run.Queue != nil {
			p.Line("   %s", run.Queue)
		}
		if run.Memory != nil {
			p.Line("   %s", run.Memory)
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

// Headlines answer the question that was asked: how long, or how much faster.
func (r *Report) Headlines() []string {
	if len(r.Comparisons) == 0 {
		run := r.Runs[0]
		if run.Queue != nil {
			return []string{fmt.Sprintf("%s answers in %s%s, of %s requests per second it answers %s", text.Clean(run.Name), Latency(run.P50), plusMinus(run), rate(run.Queue.Rate), rate(run.Queue.PerS))}
		}
		return []string{fmt.Sprintf("%s takes %s%s, %s per second", text.Clean(run.Name), Latency(run.P50), plusMinus(run), rate(run.Throughput))}
	}
	var lines []string
	for _, c := range r.Comparisons {
		lines = append(lines, c.Headline())
	}
	return lines
}

// Headline says which is faster, or that it may be noise. Where there are
// rounds it speaks of their ratio, which the interval and the verdict belong
// to; that of all runs can lie outside when the machine changes in between.
func (c Comparison) Headline() string {
	a, b := text.Clean(c.A), text.Clean(c.B)
	ratio := c.Centre()
	between := ""
	if c.CI95 != nil {
		between = fmt.Sprintf(", 95 %% between %.4g and %.4g", float64(c.CI95[0]), float64(c.CI95[1]))
	}
	what := ""
	switch {
	case !c.Significant:
		return fmt.Sprintf("%s ~ %s: no difference that could not be noise (ratio %.4g%s)", b, a, ratio, between)
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

// Centre is the ratio that the interval and the verdict belong to: that of the rounds, where there
// are any.
func (c Comparison) Centre() float64 {
	if c.Round != nil {
		return float64(*c.Round)
	}
	return float64(c.Ratio)
}

// plainTimes is the ratio from which people think in times, not in percent.
const plainTimes = 1.2

// beginnings tell how long it takes until a model runs as it does in the end.
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

// String tells what is there in the end, and what it has been at most.
func (m *Memory) String() string {
	var parts []string
	for _, p := range []struct {
		what  string
		bytes *int64
	}{{"resident", m.Steady.Resident}, {"at most", m.Steady.Peak}, {"in the arena", m.Steady.Arena}, {"on the device", m.Steady.Device}} {
		if p.bytes != nil {
			parts = append(parts, text.Bytes(*p.bytes)+" "+p.what)
		}
	}
	if len(parts) == 0 {
		return "memory: the system does not tell"
	}
	return "memory: " + strings.Join(parts, ", ")
}

// letter stands for a subject in the table, whose names may be long: a to z, and
// then numbers.
func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return strconv.Itoa(i + 1)
}

// table has what fits 80 columns; JSON has the rest.
func (r *Report) table() text.Table {
	t := text.Table{Titles: []string{"", "ep", ">batch", ">p50", ">±", ">p90", ">p99", ">max", ">per s"}}
	for i, run := range r.Runs {
		ep := run.EP
		if run.EPAttached != nil {
			ep = *run.EPAttached
		}
		t.Add(letter(i), text.Clean(ep), max(run.Batch, 1), Latency(run.P50), percent(run.precision()),
			latencyOf(run.P90), latencyOf(run.P99), Latency(run.Max), rate(run.Throughput))
	}
	return t
}

func latencyOf(ms *Number) string {
	if ms == nil {
		return "-"
	}
	return Latency(*ms)
}

// Latency writes milliseconds with four figures and the unit that fits.
func Latency(ms Number) string { return latency(ms, figures) }

// RoundLatency is Latency with two figures.
func RoundLatency(ms Number) string { return latency(ms, twoFigures) }

func latency(ms Number, figures func(float64) string) string {
	switch f := float64(ms); {
	case f < 1:
		return figures(f*1000) + " µs"
	case f < 1000:
		return figures(f) + " ms"
	default:
		return figures(f/1000) + " s"
	}
}

func twoFigures(f float64) string {
	if f < 10 {
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.0f", f)
}

func figures(f float64) string {
	switch {
	case f < 10:
		return fmt.Sprintf("%.3f", f)
	case f < 100:
		return fmt.Sprintf("%.2f", f)
	}
	return fmt.Sprintf("%.1f", f)
}

func plusMinus(r Run) string {
	if p := percent(r.precision()); p != "-" {
		return " ±" + p
	}
	return ""
}

func percent(share float64) string {
	if math.IsNaN(share) {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}

func rate(n Number) string {
	if n < 100 {
		return fmt.Sprintf("%.3g", float64(n))
	}
	return text.Count(int64(math.Round(float64(n))))
}
