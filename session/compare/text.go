package compare

import (
	"fmt"
	"io"
	"math"
	"strings"

	"lathe/graphops/tensor"
	"lathe/session/text"
)

// WriteText writes the verdict and what led to it for people. Names are made safe to print.
func (r *Report) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("%s", r.Headline)
	for _, line := range r.AccuracyLines() {
		p.Line("%s", line)
	}
	p.Line("")
	p.Line("a  %s", text.Clean(r.A))
	p.Line("b  %s", text.Clean(r.B))
	p.Line("%s", text.Plural(len(r.Cases), "case"))
	if len(r.Outputs) > 0 {
		p.Line("")
		p.Table(r.table())
	}
	r.writeCases(p)
	for _, pair := range r.Pairs {
		if pair.How == byPosition {
			p.Line("output %s of a is compared with %s of b: same position and shape", quote(pair.A), quote(pair.B))
		}
	}
	for _, line := range r.FindingLines() {
		p.Line("finding: %s", line)
	}
	return p.Err()
}

// AccuracyLines say how often both sides are right, for each output whose correct classes are known. They
// are safe to print.
func (r *Report) AccuracyLines() []string {
	lines := make([]string, len(r.Accuracy))
	for i, a := range r.Accuracy {
		lines[i] = fmt.Sprintf("accuracy of %s on %s: a %s, b %s", quote(a.Output), text.Plural(int(a.Rows), "label"), percent(float64(a.A)), percent(float64(a.B)))
	}
	return lines
}

// FindingLines lists the findings, safe to print. Cases with the same reason share a line. If
// neither side ran a case, the line has only A's reason: B usually fails for the same reason, in
// words that differ from case to case.
func (r *Report) FindingLines() []string {
	cases := map[Finding][]string{}
	var order []Finding
	for _, f := range r.Findings {
		name := f.Case
		f.Case = ""
		if before, _, both := strings.Cut(f.Reason, "; b: "); both && f.Side == "both" {
			f.Reason = before + "; b does not run either"
		}
		if len(cases[f]) == 0 {
			order = append(order, f)
		}
		cases[f] = append(cases[f], name)
	}
	var lines []string
	for _, f := range order {
		lines = append(lines, f.in(cases[f]))
	}
	return lines
}

// shownCases is how many cases have a line of their own.
const shownCases = 20

// writeCases writes a line for each case, the worst first, if there are several.
func (r *Report) writeCases(p *text.Printer) {
	if len(r.Cases) < 2 || len(r.Outputs) == 0 {
		return
	}
	t := text.Table{Titles: []string{"case", "worst output", ">max abs", ">snr dB", ">mismatched", ">error/limit", ""}}
	for _, one := range r.Cases[:min(len(r.Cases), shownCases)] {
		t.Add(one.row()...)
	}
	p.Line("")
	p.Table(t)
	if more := len(r.Cases) - shownCases; more > 0 {
		p.Line("and %s with smaller differences", text.Plural(more, "case"))
	}
}

// outcomes are the words for a verdict in tables.
var outcomes = map[Verdict]string{Pass: "ok", Fail: "FAIL", Undecided: "not judged"}

// row returns the row of the table for a case: the numbers of its worst output.
func (r CaseResult) row() []any {
	outcome := outcomes[r.Verdict]
	if len(r.Outputs) == 0 {
		if r.Verdict != Fail {
			outcome = "not compared"
		}
		return []any{text.Clean(r.Name), "-", "-", "-", "-", "-", outcome}
	}
	o := r.Outputs[0]
	for _, other := range r.Outputs[1:] {
		if weighsMore(other, o) {
			o = other
		}
	}
	limit := "-"
	switch s := o.Strain(); {
	case s >= 10 && !math.IsInf(s, 0):
		limit = fmt.Sprintf("%.3g times", s)
	case s < 10:
		limit = percent(s)
	}
	if o.Unjudged != "" {
		limit = "-"
	}
	if r.Verdict == Undecided {
		outcome = outcomes[o.Verdict]
	}
	return []any{text.Clean(r.Name), text.Clean(o.Name), short(o.MaxAbs), snr(o), fmt.Sprintf("%d/%d", o.Mismatched, o.Total), limit, outcome}
}

// table returns a table with one row for each output: its worst case.
func (r *Report) table() text.Table {
	t := text.Table{Titles: []string{"output", "worst case", ">max abs", ">max rel", ">cosine", ">snr dB", ">mismatched", ">argmax", ""}}
	for _, o := range r.Outputs {
		t.Add(text.Clean(o.Name), text.Clean(o.Case), short(o.MaxAbs), short(o.MaxRel), cosine(o.Cosine), snr(o),
			fmt.Sprintf("%d/%d", o.Mismatched, o.Total), share(o.ArgmaxAgree), outcomes[o.Verdict])
	}
	return t
}

func short(n *tensor.Number) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprintf("%.3g", float64(*n))
}

// cosine writes a cosine with enough digits that a value just below 1 is not written as 1.
func cosine(n *tensor.Number) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprintf("%.6f", float64(*n))
}

func snr(o OutputResult) string {
	if o.SNR == nil {
		return "-"
	}
	return strings.TrimSuffix(Decibels(o.snr()), " dB")
}

func share(n *tensor.Number) string {
	if n == nil {
		return "-"
	}
	return percent(float64(*n))
}
