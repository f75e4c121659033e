package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"lathe/bench"
	"lathe/bench/store"
	"lathe/session/text"
)

// mostRuns is the largest number of subjects that figures show. The tables show all.
const mostRuns = 12

// bench adds the parts of a section that show a measurement.
func (r *Report) bench(s *Section, x *store.Result) error {
	b, err := x.Bench()
	if err != nil {
		return err
	}
	var base struct {
		Baseline *store.Baseline `json:"baseline"`
		Notes    []string        `json:"notes"`
		Runs     []rawRun        `json:"runs"`
	}
	if err := json.Unmarshal(x.Document, &base); err != nil {
		return err
	}
	if base.Baseline != nil {
		for _, c := range base.Baseline.Comparisons {
			r.Findings = append(r.Findings, c.Sentence(float64(base.Baseline.MaxRegression))+".")
		}
	}
	r.timed(s, x, b, base.Runs)
	if base.Baseline != nil {
		s.Parts = append(s.Parts, baselinePart(base.Baseline))
	}
	if notes := clean(base.Notes); len(notes) > 0 {
		s.Parts = append(s.Parts, Part{Title: "Notes", Notes: notes})
	}
	return nil
}

// timed adds the parts that show the runs of a measurement. raw has the same runs as in the
// document.
func (r *Report) timed(s *Section, x *store.Result, b *bench.Report, raw []rawRun) {
	names := bench.Labels(b.Runs, longestName)
	r.findings(b)
	s.Parts = append(s.Parts, latencyPart(b, names))
	if len(b.Comparisons) > 0 {
		s.Parts = append(s.Parts, comparisonPart(b))
	}
	s.Parts = append(s.Parts, spreadPart(b, names), phasesPart(b, raw, names))
	if p := memoryPart(b, names); len(p.Table.Rows) > 0 {
		s.Parts = append(s.Parts, p)
	}
	r.runValues(x, b)
}

// findings adds the headlines of a measurement to the findings of the report.
func (r *Report) findings(b *bench.Report) {
	if len(b.Comparisons) == 0 {
		for _, run := range b.Runs {
			r.Findings = append(r.Findings, b.RunHeadline(run)+".")
		}
	}
	for _, c := range b.Comparisons {
		r.Findings = append(r.Findings, b.ComparisonHeadline(c)+".")
	}
}

// longestName is the largest number of characters of a name in a figure.
const longestName = 44

func shorten(s string) string {
	if runes := []rune(s); len(runes) > longestName {
		return string(runes[:longestName/2]) + "…" + string(runes[len(runes)-longestName/2+1:])
	}
	return s
}

// letter returns the letter that identifies subject i beside a dot, where there is no room for its
// name. Figures show at most mostRuns subjects, so letters are not repeated.
func letter(i int) string { return string(rune('a' + i%26)) }

// legend returns the list of letters and names for a figure's description, or "" if there is only
// one subject.
func legend(names []string) string {
	if len(names) < 2 {
		return ""
	}
	said := make([]string, len(names))
	for i, name := range names {
		said[i] = letter(i) + " " + name
	}
	return ": " + strings.Join(said, ", ")
}

// drawn returns the part of a list that figures show: its first mostRuns elements.
func drawn[T any](list []T) []T { return list[:min(len(list), mostRuns)] }

func latencyPart(b *bench.Report, names []string) Part {
	p := Part{Title: "Latency of a run", Table: Table{Titles: []string{"subject", "provider", ">batch", ">p50", ">95 % interval", ">p90", ">p99", ">p99.9", ">max", ">samples/s", ""}}}
	var rows []rangeRow
	for i, run := range b.Runs {
		ep := run.EP
		if run.EPAttached != nil {
			ep = *run.EPAttached
		}
		row := rangeRow{name: names[i], low: float64(run.Min), middle: float64(run.P50), from: float64(run.P50), to: float64(run.P50), high: float64(run.P50)}
		if run.CI95 != nil {
			row.from, row.to = float64(run.CI95[0]), float64(run.CI95[1])
		}
		for _, q := range []*bench.Number{run.P90, run.P95, run.P99} {
			if q != nil {
				row.ticks, row.high = append(row.ticks, float64(*q)), float64(*q)
			}
		}
		rows = append(rows, row)
		p.Table.add(text.CleanLine(run.Name), text.CleanLine(ep), fmt.Sprint(max(run.Batch, 1)), bench.Latency(run.P50), bench.IntervalText(run.P50, run.CI95),
			latencyOf(run.P90), latencyOf(run.P99), latencyOf(run.P999), bench.Latency(run.Max), bench.PerSecond(run.Throughput), firstWord(run.Verdict))
		if run.Verdict != "" {
			p.Notes = append(p.Notes, text.CleanLine(run.Name)+" is "+text.CleanLine(run.Verdict)+".")
		}
	}
	for _, w := range b.Warnings {
		p.Notes = append(p.Notes, "Of the machine: "+text.CleanLine(w.Text)+".")
	}
	p.Figures = append(p.Figures, Figure{
		Title: "Median, its interval, and the tail",
		Alt:   "For each subject a line from the fastest run to the 99th percentile with marks at the 90th, 95th and 99th, a dot at the median and a thick bar over the median's 95 % interval. The table has the numbers.",
		SVG:   ranges(drawn(rows), "time of a run", milliseconds, 0),
	})
	return p
}

// firstWord returns the first word of a verdict, "steady" or "noisy". The reasons are in the
// notes.
func firstWord(verdict string) string {
	word, _, _ := strings.Cut(text.CleanLine(verdict), " ")
	return word
}

func comparisonPart(b *bench.Report) Part {
	p := Part{
		Title: "Ratios of times", Notes: []string{"A ratio below 1 is faster. The interval comes from blocks measured in turns, so what changes slowly on the machine cancels."},
		Table: Table{Titles: []string{"subject", "against", "differs in", ">ratio", ">95 % interval", ">rounds", "difference"}},
	}
	var rows []rangeRow
	labels := ratioLabels(b)
	for i, c := range b.Comparisons {
		says := "may be noise (~)"
		if c.Significant {
			says = "significant"
		}
		p.Table.add(text.CleanLine(c.B), text.CleanLine(c.A), text.CleanLine(c.Along), ratio(c.Centre()), intervalText(c.CI95), fmt.Sprint(c.Rounds), says)
		rows = append(rows, ratioRow(labels[i], c.Centre(), c.CI95))
		for _, w := range c.Warnings {
			p.Notes = append(p.Notes, text.CleanLine(c.B)+": "+text.CleanLine(w.Text)+".")
		}
	}
	p.Figures = []Figure{{
		Title: "Ratio of times", Alt: "For each comparison a dot at the ratio of the two times, with a bar over the 95 % interval; a line marks 1. The table has the numbers.",
		SVG: ranges(drawn(rows), "ratio of times", ratio, 1),
	}}
	return p
}

// ratioLabels returns a name for each comparison of a report: "B against A", or only "B" if A is
// the same subject in all comparisons.
func ratioLabels(b *bench.Report) []string {
	const half = 20 // half of the room for a name
	labelled := func(width int) func(name string) string {
		labels := map[string]string{}
		for i, label := range bench.Labels(b.Runs, width) {
			labels[b.Runs[i].Name] = label
		}
		return func(name string) string { return cmp.Or(labels[name], shorten(text.CleanLine(name))) }
	}
	whole, short := labelled(longestName), labelled(half)
	one := !slices.ContainsFunc(b.Comparisons, func(c bench.Comparison) bool { return c.A != b.Comparisons[0].A })
	out := make([]string, len(b.Comparisons))
	for i, c := range b.Comparisons {
		if out[i] = short(c.B) + " against " + short(c.A); one {
			out[i] = whole(c.B)
		}
	}
	return out
}

func baselinePart(b *store.Baseline) Part {
	p := Part{
		Title: "Against the baseline", Notes: []string{"The baseline was " + store.Occasions + "."},
		Table: Table{Titles: []string{"subject", "in the baseline", ">p50 then", ">p50", ">ratio", ">95 % interval of the ratio", "verdict"}},
	}
	var rows []rangeRow
	for _, c := range b.Comparisons {
		p.Table.add(text.CleanLine(c.Here), text.CleanLine(c.Baseline), bench.Latency(c.P50Was), bench.Latency(c.P50), ratio(float64(c.Ratio)), intervalText(c.CI95), text.CleanLine(c.Verdict))
		if drawable(c.Ratio) && (c.CI95 == nil || drawable(c.CI95[0]) && drawable(c.CI95[1])) {
			rows = append(rows, ratioRow(shorten(text.CleanLine(path.Base(c.Here))), float64(c.Ratio), c.CI95))
		}
	}
	for _, d := range b.Differences {
		p.Notes = append(p.Notes, "Not as in the baseline: "+text.CleanLine(d.String())+".")
	}
	for _, name := range b.OnlyBaseline {
		p.Notes = append(p.Notes, "Only in the baseline: "+text.CleanLine(name)+".")
	}
	for _, name := range b.OnlyHere {
		p.Notes = append(p.Notes, "Not in the baseline: "+text.CleanLine(name)+".")
	}
	p.Figures = []Figure{{
		Title: "Ratio to the baseline", Alt: "For each subject a dot at the ratio of its time to that in the baseline, with a bar over the 95 % interval; a line marks 1. The table has the numbers.",
		SVG: ranges(drawn(rows), "ratio of times", ratio, 1),
	}}
	return p
}

// drawable reports whether a figure can show a ratio. A file can contain ratios that no measurement
// gives.
func drawable(r bench.Number) bool { return r > 1e-9 && r < 1e9 }

func ratioRow(name string, center float64, interval *[2]bench.Number) rangeRow {
	row := rangeRow{name: name, low: center, from: center, middle: center, to: center, high: center}
	if interval != nil {
		row.from, row.to = float64(interval[0]), float64(interval[1])
		row.low, row.high = row.from, row.to
	}
	return row
}

func spreadPart(b *bench.Report, names []string) Part {
	p := Part{Title: "How runs are spread", Table: Table{Titles: []string{"subject", ">runs", ">fastest", ">mean", ">p95", ">outliers", ">blocks", ">fastest block", ">slowest block"}}}
	for i, run := range b.Runs {
		fastest, slowest := "-", "-"
		if len(run.BlockMedians) > 0 {
			fastest, slowest = bench.Latency(slices.Min(run.BlockMedians)), bench.Latency(slices.Max(run.BlockMedians))
		}
		p.Table.add(text.CleanLine(run.Name), text.Count(int64(run.Samples)), bench.Latency(run.Min), bench.Latency(run.Mean), latencyOf(run.P95), text.Count(int64(run.Outliers)), fmt.Sprint(run.Blocks), fastest, slowest)
		if i >= mostRuns {
			continue
		}
		if len(run.Histogram.Counts) > 0 && run.Histogram.Width > 0 {
			p.Figures = append(p.Figures, Figure{
				Title: "Times of runs: " + names[i],
				Alt:   fmt.Sprintf("Histogram of the times of %d runs. A line marks the median, %s; %s took longer than is drawn.", run.Samples, bench.Latency(run.P50), text.Plural(run.Histogram.Beyond, "run")),
				SVG:   histogram(run, series(i)),
			})
		}
		if len(run.BlockMedians) > 1 {
			p.Figures = append(p.Figures, Figure{
				Title: "Over time: " + names[i],
				Alt:   fmt.Sprintf("The medians of %d blocks in the order of measuring, between %s and %s.", len(run.BlockMedians), fastest, slowest),
				SVG:   overTime(run, series(i)),
			})
		}
	}
	return p
}

// rawRun is a run as in the document, which may have keys that this version of Lathe does not know.
type rawRun map[string]json.RawMessage

// leaves returns all numbers inside the value of key, at any depth, whose path of keys ends in end.
// The result maps the path, without end and with spaces between its keys, to the number.
func (r rawRun) leaves(key, end string) map[string]float64 {
	var v any
	if json.Unmarshal(r[key], &v) != nil {
		return nil
	}
	out := map[string]float64{}
	collect(v, "", end, out)
	return out
}

func collect(v any, at, end string, out map[string]float64) {
	object, ok := v.(map[string]any)
	if !ok {
		if f, ok := v.(float64); ok && strings.HasSuffix(at, end) {
			out[strings.TrimSpace(strings.ReplaceAll(strings.TrimSuffix(at, end), "_", " "))] = f
		}
		return
	}
	for key, inner := range object {
		collect(inner, strings.TrimSpace(at+" "+key), end, out)
	}
}

// phasesPart compares the time of a steady run with the times before it: session, first run, and so
// on.
func phasesPart(b *bench.Report, raw []rawRun, names []string) Part {
	p := Part{Title: "Phases", Table: Table{Titles: []string{"subject", "phase", ">time"}}}
	var rows []dotRow
	for i, run := range b.Runs {
		phases := []dot{}
		add := func(name string, ms *bench.Number) {
			if ms != nil && *ms > 0 && !math.IsInf(float64(*ms), 0) {
				phases = append(phases, dot{name, float64(*ms)})
			}
		}
		add("session", run.SessionMS)
		add("first run", run.FirstRunMS)
		add("first run at another shape", run.NewShapeMS)
		median := run.P50
		add("steady run", &median)
		if i < len(raw) {
			more := raw[i].leaves("phases", "_ms")
			for _, name := range sortedKeys(more) {
				if ms := bench.Number(more[name]); !slices.ContainsFunc(phases, func(d dot) bool { return d.name == name }) {
					add(name, &ms)
				}
			}
		}
		for _, d := range phases {
			p.Table.add(text.CleanLine(run.Name), text.CleanLine(d.name), milliseconds(d.at))
		}
		rows = append(rows, dotRow{letter(i), slices.DeleteFunc(phases, func(d dot) bool { return d.name == "measure" || d.name == "warmup" })})
	}
	p.Figures = []Figure{{
		Title: "From session to steady runs" + legend(drawn(names)), Alt: "For each phase a dot at the time that each subject took, on a logarithmic scale, with a letter for each of several subjects. The table has the numbers.",
		SVG: dots(drawn(rows), milliseconds),
	}}
	return p
}

// memoryPart shows the memory that each subject uses.
func memoryPart(b *bench.Report, names []string) Part {
	p := Part{Title: "Memory", Table: Table{Titles: []string{"subject", "when", ">resident", ">at most", ">arena", ">device"}}}
	var bars []bar
	for i, run := range b.Runs {
		add := func(when string, use bench.MemoryUse) {
			p.Table.add(text.CleanLine(run.Name), when, sizeOf(use.Resident), sizeOf(use.Peak), sizeOf(use.Arena), sizeOf(use.Device))
			for _, x := range []struct {
				what string
				size *int64
			}{{"", use.Resident}, {", on the device", use.Device}} {
				if x.size != nil && *x.size > 0 && i < mostRuns {
					bars = append(bars, bar{names[i] + ", " + when + x.what, float64(*x.size), series(i)})
				}
			}
		}
		if m := run.Memory; m != nil {
			add("loaded", m.Load)
			add("first run", m.FirstRun)
			add("steady", m.Steady)
			if m.Growth > 0 {
				p.Notes = append(p.Notes, fmt.Sprintf("%s was still growing, by %s a run.", text.CleanLine(run.Name), text.Bytes(int64(min(m.Growth, 1<<60)))))
			}
		} else if run.PeakRSS != nil || run.DeviceBytes != nil {
			add("measured", bench.MemoryUse{Peak: run.PeakRSS, Resident: run.PeakRSS, Device: run.DeviceBytes})
		}
	}
	if len(bars) > 0 {
		p.Figures = []Figure{{
			Title: "Resident memory", Alt: "A bar for each subject and moment. The table has the numbers.",
			SVG: barChart(bars[:min(len(bars), 2*mostRuns)], func(v float64) string { return text.Bytes(int64(v)) }),
		}}
	}
	return p
}

func sizeOf(n *int64) string {
	if n == nil {
		return "-"
	}
	return text.Bytes(*n)
}

// runValues adds the numbers of all runs to the values of the report.
func (r *Report) runValues(x *store.Result, b *bench.Report) {
	v := values{r, x}
	for _, run := range b.Runs {
		ms := func(metric string, n *bench.Number) { v.add(run.Model, run.Name, metric, floatOf(n), "ms") }
		var low, high *bench.Number
		if run.CI95 != nil {
			low, high = &run.CI95[0], &run.CI95[1]
		}
		for _, m := range []struct {
			name string
			of   *bench.Number
		}{
			{"p50", &run.P50},
			{"p50 interval low", low},
			{"p50 interval high", high},
			{"p90", run.P90},
			{"p95", run.P95},
			{"p99", run.P99},
			{"p99.9", run.P999},
			{"min", &run.Min},
			{"max", &run.Max},
			{"mean", &run.Mean},
			{"session", run.SessionMS},
			{"first run", run.FirstRunMS},
			{"first run at another shape", run.NewShapeMS},
		} {
			ms(m.name, m.of)
		}
		v.add(run.Model, run.Name, "throughput", floatOf(&run.Throughput), "per second")
		noisy := 0.0
		if b.Noise(run.Name) != "" {
			noisy = 1
		}
		v.add(run.Model, run.Name, "noisy", &noisy, "")
		count := float64(run.Samples)
		v.add(run.Model, run.Name, "runs", &count, "")
		v.add(run.Model, run.Name, "peak resident memory", floatOfInt(run.PeakRSS), "bytes")
		v.add(run.Model, run.Name, "device memory", floatOfInt(run.DeviceBytes), "bytes")
	}
	for _, c := range b.Comparisons {
		center := c.Centre()
		v.add("", c.B, "ratio to "+text.CleanLine(c.A), &center, "")
	}
}

func floatOf(n *bench.Number) *float64 {
	if n == nil || math.IsNaN(float64(*n)) || math.IsInf(float64(*n), 0) {
		return nil
	}
	f := float64(*n)
	return &f
}

func floatOfInt(n *int64) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}

func clean(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, text.CleanLine(s))
	}
	return out
}

func milliseconds(ms float64) string { return bench.Latency(bench.Number(ms)) }

func latencyOf(ms *bench.Number) string {
	if ms == nil {
		return "-"
	}
	return bench.Latency(*ms)
}

func ratio(r float64) string { return fmt.Sprintf("%.4g", r) }

func intervalText(i *[2]bench.Number) string {
	if i == nil {
		return "-"
	}
	return ratio(float64(i[0])) + " … " + ratio(float64(i[1]))
}

func sortedKeys[T any](m map[string]T) []string {
	out := make([]string, 0, len(m))
	for key := range m {
		out = append(out, key)
	}
	slices.SortFunc(out, cmp.Compare)
	return out
}
