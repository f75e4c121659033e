package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"lathe/bench"
	"lathe/bench/store"
	"lathe/session/text"
)

// The largest number of bars in a figure, and of rows in a table.
const (
	mostBars = 20
	mostRows = 200
)

// validation shows the comparison of two models' outputs.
func (r *Report) validation(s *Section, x *store.Result) error {
	v, err := x.Validation()
	if err != nil {
		return err
	}
	r.validated(s, x, v)
	return nil
}

// colors maps each verdict to a colour. Undecided is neither good nor bad.
var colors = map[string]paint{store.Pass: good, store.Fail: bad, store.Undecided: faint}

func (r *Report) validated(s *Section, x *store.Result, v *store.Validation) {
	verdict := v.Word()
	r.Findings = append(r.Findings, fmt.Sprintf("%s compared with %s: %s.", text.CleanLine(v.B), text.CleanLine(v.A), verdict))
	p := Part{
		Title: "Outputs, the worst case of each", Notes: []string{fmt.Sprintf("%s compared with %s: %s.", text.CleanLine(v.B), text.CleanLine(v.A), text.CleanLine(cmp.Or(v.Headline, verdict)))},
		Table: Table{Titles: []string{"output", "case", ">greatest error", ">greatest relative", ">SNR", ">cosine", ">mismatched", "verdict"}},
	}
	var bars []bar
	to := values{r, x}
	for i, o := range v.Outputs {
		says := o.Word()
		for _, m := range []struct {
			name string
			of   *bench.Number
			unit string
		}{{"greatest absolute error", o.MaxAbs, ""}, {"greatest relative error", o.MaxRel, ""}, {"SNR", o.SNR, "dB"}, {"cosine", o.Cosine, ""}} {
			to.add(v.B, o.Name, m.name, floatOf(m.of), m.unit)
		}
		if i < mostRows {
			p.Table.add(text.CleanLine(o.Name), text.CleanLine(o.Case), number(o.MaxAbs), number(o.MaxRel), decibels(o.SNR), number(o.Cosine),
				fmt.Sprintf("%s of %s", text.Count(o.Mismatched), text.Count(o.Total)), says)
		}
		if o.SNR != nil && *o.SNR < mostDecibels {
			bars = append(bars, bar{shorten(text.CleanLine(o.Name)) + ", " + says, max(float64(*o.SNR), 0), colors[says]})
		}
	}
	p.Table.LeftOut = leftOut(len(v.Outputs), mostRows, "outputs")
	if len(bars) > 0 {
		p.Figures = []Figure{{
			Title: "Signal-to-noise ratio", Alt: "A bar for each output with the signal-to-noise ratio of its worst case in decibels: more is better. The table has the numbers.",
			SVG: barChart(bars[:min(len(bars), mostBars)], func(v float64) string { return fmt.Sprintf("%.0f dB", v) }),
		}}
	}
	s.Parts = append(s.Parts, p)
}

// quantization shows the sizes before and after, and the trial's accuracy and latency.
func (r *Report) quantization(s *Section, x *store.Result) error {
	q, err := x.Quantization()
	if err != nil {
		return err
	}
	share := 100 * float64(q.After.Bytes) / float64(max(q.Before.Bytes, 1))
	name := "the model"
	if len(x.Models) > 0 {
		name = x.Models[len(x.Models)-1].Path
	}
	r.Findings = append(r.Findings, fmt.Sprintf("%s has %s, %.0f %% of the %s before.", text.CleanLine(name), text.Bytes(q.After.Bytes), share, text.Bytes(q.Before.Bytes)))
	p := Part{Title: "Size", Table: Table{Titles: []string{"", ">size", ">nodes"}}}
	p.Table.add("before", text.Bytes(q.Before.Bytes), text.Count(int64(q.Before.Nodes)))
	p.Table.add("after", text.Bytes(q.After.Bytes), text.Count(int64(q.After.Nodes)))
	p.Figures = []Figure{{
		Title: "Size before and after", Alt: "Two bars. The table has the numbers.",
		SVG: barChart([]bar{{"before", float64(q.Before.Bytes), series(0)}, {"after", float64(q.After.Bytes), series(1)}}, func(v float64) string { return text.Bytes(int64(v)) }),
	}}
	s.Parts = append(s.Parts, p, quantizedPart(q))
	v := values{r, x}
	before, after := float64(q.Before.Bytes), float64(q.After.Bytes)
	v.add(name, "", "size before", &before, "bytes")
	v.add(name, "", "size after", &after, "bytes")
	if q.Trial != nil && q.Trial.Validation != nil {
		r.validated(s, x, q.Trial.Validation)
	}
	if q.Trial != nil && q.Trial.Bench != nil {
		r.timed(s, x, q.Trial.Bench, nil)
	}
	return nil
}

// quantizedPart lists the quantized nodes, those that save most bytes first, and then the nodes
// that were left unchanged.
func quantizedPart(q *store.Quantization) Part {
	p := Part{Title: "Nodes", Table: Table{Titles: []string{"node", "operator", ">before", ">after", "left as it is because"}}}
	list := slices.Clone(q.Quantized)
	slices.SortStableFunc(list, func(a, b store.QuantizedNode) int {
		return cmp.Compare(b.BytesBefore-b.BytesAfter, a.BytesBefore-a.BytesAfter)
	})
	for _, n := range list[:min(len(list), mostRows)] {
		p.Table.add(text.CleanLine(n.Node), text.CleanLine(n.Op), text.Bytes(n.BytesBefore), text.Bytes(n.BytesAfter), "")
	}
	for _, n := range q.Skipped[:min(len(q.Skipped), mostRows)] {
		p.Table.add(text.CleanLine(n.Node), text.CleanLine(n.Op), "", "", text.CleanLine(n.Reason))
	}
	p.Table.LeftOut = leftOut(len(q.Quantized)+len(q.Skipped), len(p.Table.Rows), "nodes")
	return p
}

// profile shows which operators and nodes take the time of a run.
func (r *Report) profile(s *Section, x *store.Result) error {
	f, err := x.Profile()
	if err != nil {
		return err
	}
	nodes := slices.Clone(f.Nodes)
	slices.SortStableFunc(nodes, func(a, b store.ProfileNode) int { return cmp.Compare(b.US, a.US) })
	total := 0.0
	byOp := map[string]float64{}
	for _, n := range nodes {
		total += float64(n.US)
		byOp[n.Op] += float64(n.US)
	}
	if total == 0 {
		s.Parts = append(s.Parts, Part{Title: "Nodes", Notes: []string{"No node took any time."}})
		return nil
	}
	r.Findings = append(r.Findings, fmt.Sprintf("%s of %s take %s of a run; the longest, %s (%s), %.0f %% of it.", text.Plural(len(nodes), "node"),
		cmp.Or(text.CleanLine(f.Model), "the model"), milliseconds(total/1000), text.CleanLine(nodes[0].Name), text.CleanLine(nodes[0].Op), 100*float64(nodes[0].US)/total))
	if f.Token != nil && len(f.Token.Parts) > 0 {
		s.Parts = append(s.Parts, tokenPart(f.Token))
	}
	s.Parts = append(s.Parts, operatorPart(byOp, total), nodePart(nodes, total))
	if notes := clean(f.Notes); len(notes) > 0 {
		s.Parts = append(s.Parts, Part{Title: "Notes", Notes: notes})
	}
	v := values{r, x}
	if f.Token != nil {
		for i := range f.Token.Parts {
			v.add(f.Model, f.Token.Parts[i].Part, "time of this part of a run", floatOf(&f.Token.Parts[i].US), "µs")
		}
	}
	for _, n := range nodes {
		v.add(f.Model, n.Name, "time in a run", floatOf(&n.US), "µs")
	}
	return nil
}

func operatorPart(byOp map[string]float64, total float64) Part {
	p := Part{Title: "Operators", Table: Table{Titles: []string{"operator", ">time in a run", ">share"}}}
	ops := sortedKeys(byOp)
	slices.SortStableFunc(ops, func(a, b string) int { return cmp.Compare(byOp[b], byOp[a]) })
	var bars []bar
	for _, op := range ops[:min(len(ops), mostRows)] {
		p.Table.add(text.CleanLine(op), milliseconds(byOp[op]/1000), fmt.Sprintf("%.1f %%", 100*byOp[op]/total))
		bars = append(bars, bar{shorten(text.CleanLine(op)), byOp[op] / 1000, series(0)})
	}
	p.Table.LeftOut = leftOut(len(ops), mostRows, "operators")
	p.Figures = []Figure{{
		Title: "Time by operator", Alt: "A bar for each operator, the longest first. The table has the numbers.",
		SVG: barChart(bars[:min(len(bars), mostBars)], milliseconds),
	}}
	return p
}

// tokenPart shows where the time of a run of a language model goes, by part of the work.
func tokenPart(t *store.TokenTimes) Part {
	title := text.Plural(int(t.Tokens), "token") + " after " + text.Plural(int(t.Depth), "position")
	if t.Batch > 1 {
		title += fmt.Sprintf(", batch %d", t.Batch)
	}
	if t.Layers > 0 {
		title += ", " + text.Plural(t.Layers, "layer")
	}
	p := Part{Title: title, Table: Table{Titles: []string{"part", ">nodes", ">time in a run", ">share", ">weights read", ">cache read"}}}
	var bars []bar
	for _, part := range t.Parts {
		p.Table.add(text.CleanLine(part.Part), fmt.Sprint(part.Nodes), milliseconds(float64(part.US)/1000), fmt.Sprintf("%.1f %%", 100*float64(part.Share)), someBytes(part.WeightBytes), someBytes(part.CacheBytes))
		bars = append(bars, bar{shorten(text.CleanLine(part.Part)), float64(part.US) / 1000, series(0)})
	}
	p.Figures = []Figure{{
		Title: "Time by part of the work", Alt: "A bar for each part, in the order of the table, which has the numbers.",
		SVG: barChart(bars[:min(len(bars), mostBars)], milliseconds),
	}}
	return p
}

func someBytes(n int64) string {
	if n == 0 {
		return ""
	}
	return text.Bytes(n)
}

func nodePart(nodes []store.ProfileNode, total float64) Part {
	p := Part{Title: "Nodes", Table: Table{Titles: []string{"node", "operator", "provider", ">time in a run", ">share"}}}
	var bars []bar
	for i, n := range nodes {
		if i < mostRows {
			p.Table.add(text.CleanLine(n.Name), text.CleanLine(n.Op), text.CleanLine(n.EP), milliseconds(float64(n.US)/1000), fmt.Sprintf("%.1f %%", 100*float64(n.US)/total))
		}
		if i < mostBars {
			bars = append(bars, bar{shorten(text.CleanLine(n.Name)), float64(n.US) / 1000, series(0)})
		}
	}
	p.Table.LeftOut = leftOut(len(nodes), mostRows, "nodes")
	p.Figures = []Figure{{
		Title: "The longest nodes", Alt: "A bar for each of the nodes that take longest. The table has the numbers.",
		SVG: barChart(bars, milliseconds),
	}}
	return p
}

// mostDecibels is a signal-to-noise ratio that only equal outputs can reach, whatever their number
// type. An output with at least this ratio gets no bar.
const mostDecibels = 1000

// leftOut returns a sentence that says how many rows a table leaves out, or "" if none. what is the
// plural of what the rows are.
func leftOut(all, shown int, what string) string {
	if all <= shown {
		return ""
	}
	return fmt.Sprintf("%s %s more are in the result's file.", text.Count(int64(all-shown)), what)
}

func number(n *bench.Number) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprintf("%.4g", float64(*n))
}

func decibels(n *bench.Number) string {
	switch {
	case n == nil:
		return "-"
	case math.IsInf(float64(*n), 1):
		return "equal"
	}
	return fmt.Sprintf("%.1f dB", float64(*n))
}
