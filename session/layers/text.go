package layers

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"lathe/session/text"
)

// worstShown is the number of rows in the table of the worst layers.
const worstShown = 10

// WriteText writes the first divergence, the worst layers and the counts for people. Names are made
// safe to print.
func (r *Report) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("")
	p.Line("layers of case %s, each on a's values", quote(r.Case))
	r.First.write(p)
	if t := r.worst(); t != nil {
		p.Line("")
		p.Line("largest errors of single layers:")
		p.Table(*t)
	}
	p.Line("")
	p.Line("%s: %s; %s", text.Plural(len(r.Layers), "value"), r.counts(), r.matched())
	for _, side := range []struct {
		name string
		list []string
	}{{"a", r.Mapping.OnlyA}, {"b", r.Mapping.OnlyB}} {
		if len(side.list) > 0 {
			p.Line("only in %s: %s", side.name, some(side.list))
		}
	}
	for _, n := range r.Notes {
		p.Line("note: %s", text.CleanLine(n))
	}
	return p.Err()
}

func (f *FirstReport) write(p *text.Printer) {
	if f == nil {
		p.Line("no value diverges")
		return
	}
	switch {
	case !f.Local:
		p.Line("the error accumulates: no single node is off; most of it comes from %s (%s), which makes %s", quote(f.Node), opsText(f.OpA, f.Op), quote(f.Value))
	case f.of == Stuck:
		p.Line("first divergence: node %s (%s) does not run on a's values: %s", quote(f.Node), opsText(f.OpA, f.Op), text.CleanLine(f.Reason))
	default:
		p.Line("first divergence: node %s", f.Called())
	}
	if f.Source != "" {
		p.Line("  from    %s", text.CleanLine(f.Source))
	}
	for _, in := range f.Inputs {
		p.Line("  reads   %s", in.line())
	}
	p.Line("  makes   %s%s", quote(f.Value), f.off())
	if len(f.Region) > 1 {
		p.Line("  by way of %s", some(f.Region))
	}
	if f.Begins {
		p.Line("  its inputs are as finite as in model a, its outputs are not")
	}
}

// Called returns the name of the node and its operator, safe to print.
func (f *FirstReport) Called() string { return quote(f.Node) + " (" + opsText(f.OpA, f.Op) + ")" }

// off describes in words how far B's value is from A's.
func (f *FirstReport) off() string {
	switch {
	case f.Reason != "" && f.of != Stuck && (f.Error == nil || f.Error.Mismatched == 0):
		return ": " + text.CleanLine(f.Reason)
	case f.Error == nil:
		return ""
	}
	reason := ""
	if f.Reason != "" && f.of != Stuck {
		reason = ": " + text.CleanLine(f.Reason)
	}
	s := reason + fmt.Sprintf(": %d of %d elements off, snr %s dB", f.Error.Mismatched, f.Error.Total, snr(f.Error))
	if f.Index != nil {
		s += fmt.Sprintf("; the worst at %v: a %s, b %s", f.Index, text.CleanLine(f.WorstA), text.CleanLine(f.WorstB))
	}
	return s
}

func (in InputReport) line() string {
	name := quote(in.A)
	if in.B != in.A {
		name += " (" + quote(in.B) + " in b)"
	}
	switch e := in.Accumulated; {
	case in.Op == "":
		return name + ", an input"
	case e == nil:
		return name + ", which b's own run did not compute"
	case e.MaxAbs == 0 && e.Mismatched == 0:
		return name + ", equal"
	default:
		return fmt.Sprintf("%s, in b's own run off by %.3g at most, snr %s dB", name, float64(e.MaxAbs), snr(e))
	}
}

// worst returns a table of the layers with the lowest local signal-to-noise ratio. Layers that are
// equal or not judged are left out. It is nil if no layer is left.
func (r *Report) worst() *text.Table {
	list := slices.DeleteFunc(slices.Clone(r.Layers), func(l LayerReport) bool { return l.Judgement == string(Equal) || l.Judgement == string(Unjudged) })
	slices.SortStableFunc(list, func(x, y LayerReport) int { return cmp.Compare(x.rank(), y.rank()) })
	if len(list) == 0 {
		return nil
	}
	t := &text.Table{Titles: []string{"value", "node", "op", ">local snr", ">max abs", ">accumulated snr", ""}}
	for _, l := range list[:min(len(list), worstShown)] {
		local, abs, all := "-", "-", "-"
		if l.Local != nil {
			local, abs = snr(l.Local), fmt.Sprintf("%.3g", float64(l.Local.MaxAbs))
		}
		if l.Accumulated != nil {
			all = snr(l.Accumulated)
		}
		t.Add(text.Clean(l.A), text.Clean(l.Node), l.Operators(), local, abs, all, l.Judgement)
	}
	return t
}

// rank is the number by which layers are sorted: first those that failed, then the others, each by
// ascending signal-to-noise ratio.
func (l LayerReport) rank() float64 {
	rank := math.Inf(-1)
	if l.Local != nil && !math.IsNaN(float64(l.Local.SNR)) {
		rank = float64(l.Local.SNR)
	}
	if !Judgement(l.Judgement).Failed() {
		rank = max(rank, -1e6) + 1e9
	}
	return rank
}

func (r *Report) counts() string {
	var out []string
	for _, j := range []Judgement{Differs, Stuck, Noisy, Quantized, Rounding, Equal, Unjudged} {
		if n := r.Mapping.Judgement[string(j)]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, says[j]))
		}
	}
	return strings.Join(out, ", ")
}

var says = map[Judgement]string{
	Differs: "diverge", Stuck: "do not run", Noisy: "quantized too coarsely", Quantized: "quantized", Rounding: "off by rounding", Equal: "equal", Unjudged: "not judged",
}

func (r *Report) matched() string {
	var out []string
	for _, how := range []string{"name", "structure", "neighbours", "dequantized", "content"} {
		if n := r.Mapping.By[how]; n > 0 {
			out = append(out, fmt.Sprintf("%d by %s", n, how))
		}
	}
	return "matched " + strings.Join(out, ", ")
}

// some lists the first few names and says how many others there are.
func some(list []string) string {
	const shown = 5
	var out []string
	for _, n := range list[:min(len(list), shown)] {
		out = append(out, quote(n))
	}
	s := strings.Join(out, ", ")
	if more := len(list) - shown; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

func quote(name string) string { return `"` + text.Clean(name) + `"` }

func snr(e *Error) string { return fmt.Sprintf("%.1f", float64(e.SNR)) }
