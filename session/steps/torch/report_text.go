package torch

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"lathe/session"
	"lathe/session/compare"
	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/session/torch"
)

var _ session.Thorough = (*torchReport)(nil)

// WriteText implements session.Report.
func (r *torchReport) WriteText(w io.Writer) error { return r.writeText(w, false) }

// WriteWhole implements session.Thorough. It writes failing comparisons with all numbers, and
// failures with all exceptions.
func (r *torchReport) WriteWhole(w io.Writer) error { return r.writeText(w, true) }

func (r *torchReport) writeText(w io.Writer, whole bool) error {
	text.NewPrinter(w).Line("%s", r.headline())
	return r.writeBody(w, whole)
}

// writeBody writes everything after the first line.
func (r *torchReport) writeBody(w io.Writer, whole bool) error {
	p := text.NewPrinter(w)
	for i, a := range r.Attempts {
		var before *attempt
		if i > 0 {
			before = r.Attempts[i-1]
		}
		a.write(p, before, whole)
	}
	if err := p.Err(); err != nil {
		return err
	}
	writeConstants(w, r.Target)
	writeOtherOutputs(w, r.Target)
	for _, line := range r.Target.Assumed {
		fmt.Fprintf(w, "assumed: %s\n", text.CleanLine(line))
	}
	if r.Model != nil {
		reporting.WriteValues(w, "inputs", r.Model.Inputs)
		reporting.WriteValues(w, "outputs", r.Model.Outputs)
	}
	if r.Quantize != nil {
		fmt.Fprintln(w, "quantized:")
		if err := r.Quantize.WriteText(w); err != nil {
			return err
		}
	}
	if r.Filled != nil {
		r.Filled.Print(p, 0)
	}
	r.File.WriteText(w)
	reporting.WriteWarnings(w, r.Warnings)
	return nil
}

func (r *torchReport) headline() string {
	if r.taken == nil {
		line := "not exported"
		for _, a := range r.Attempts {
			switch {
			case a.Validation == nil:
			case a.Failure != nil && a.Failure.Entry == notStepwise:
				line = "not exported: with its cache, the result gives something else than all tokens at once"
			case a.Validation.Verdict == compare.Undecided:
				return "not exported: the result cannot be judged"
			default:
				line = "not exported: the result does not compute what PyTorch does"
			}
		}
		return line
	}
	last, nodes := r.taken, r.Model.Nodes
	if r.Quantize != nil {
		nodes = r.Quantize.Before.Nodes
	}
	line := fmt.Sprintf("exported by %s, opset %d, %s", last.Strategy, last.Opset, text.Plural(nodes, "node"))
	if last.Trainable {
		return line + ", for training: every parameter is an initializer with its elements"
	}
	switch {
	case len(last.Conditional) > 0:
		line += ", and " + last.condition() + ": " + last.Conditional[0].String()
		if more := len(last.Conditional) - 1; more > 0 {
			line += fmt.Sprintf("; and %s", text.Plural(more, "other place"))
		}
	case last.Validation == nil:
		line += ", not compared with PyTorch"
	case last.rightInPart():
		line += ", and equal to PyTorch within tolerance in all that can be judged"
	case slices.ContainsFunc(last.Validation.Outputs, bySignal):
		line += ", and as near to PyTorch as a quantized model is expected to be, but not equal within tolerance"
	default:
		line += ", and equal to PyTorch within tolerance"
	}
	if last.Steps != nil {
		line += "; " + last.Steps.Headline
	}
	if r.Quantize != nil {
		line += fmt.Sprintf("; then quantized, %s", text.Plural(r.Quantize.After.Nodes, "node"))
	}
	return line
}

// bySignal reports whether an output was judged like that of a quantized model, and is not within
// the tolerance of its type.
func bySignal(o compare.OutputResult) bool { return o.Rule == compare.RuleSNR && o.Mismatched > 0 }

// shownFindings is how many findings of a comparison are printed.
const shownFindings = 4

// rightInPart reports whether some outputs are equal to PyTorch's and the others cannot be judged,
// such as a random one.
func (a *attempt) rightInPart() bool {
	return a.Validation != nil && a.Validation.Verdict == compare.Undecided &&
		slices.ContainsFunc(a.Validation.Outputs, func(o compare.OutputResult) bool { return o.Pass })
}

// condition says when a conditional model is right.
func (a *attempt) condition() string {
	if a.Conditional[0] == hiddenRows {
		return "right unless a mask leaves nothing of a row"
	}
	return "right for the path of the example alone"
}

func (a *attempt) write(p *text.Printer, before *attempt, whole bool) {
	p.Line("%s", a.outcome(before))
	switch {
	case before != nil && a.failsAs(before):
	case a.Failure != nil:
		a.Failure.Write(p, "  ")
		a.writeDivergence(p, whole)
	case a.Validation != nil:
		for _, c := range a.Conditional {
			p.Line("  one path: %s", c)
		}
		p.Line("  %s (%s)", a.Validation.Headline, text.Plural(len(a.Validation.Cases), "case"))
	}
	if a.Steps != nil {
		a.Steps.WriteDetails(p)
	}
	if a.Validation != nil && (a.Validation.Pass || a.Validation.Verdict == compare.Undecided && !whole) {
		writeFindings(p, a.Validation.FindingLines())
	}
	if whole && a.Failure != nil {
		for line := range strings.Lines(a.Failure.Whole) {
			p.Line("  %s", text.CleanLine(strings.TrimRight(line, "\n")))
		}
	}
	for _, w := range a.Warnings {
		p.Line("  %s at %s: %s", text.Clean(w.Category), text.Clean(w.At), text.CleanLine(w.Message))
	}
	if a.Report != "" {
		p.Line("  the exporter's report: %s", text.Clean(a.Report))
	}
}

// outcome describes the result of the attempt in a line.
func (a *attempt) outcome(before *attempt) string {
	what := "right"
	switch {
	case len(a.Conditional) > 0:
		what = a.condition()
	case a.rightInPart():
		what = "right in all that can be judged"
	case a.Validation != nil && a.Validation.Verdict == compare.Undecided:
		what = "exported, and cannot be judged"
	case a.Failure != nil && a.Failure.Entry == notFree:
		what = "exported, and not dynamic"
	case a.Failure != nil && a.Failure.Entry == notStepwise:
		what = "exported, and differs from itself step by step"
	case a.Failure != nil && a.Validation != nil:
		what = "exported, and differs from PyTorch"
	case a.Failure != nil && a.Stage == "killed":
		what = "its Python ended"
	case a.Failure != nil:
		what = "failed at " + a.Stage
	case a.Validation == nil:
		what = "exported"
	}
	name := a.Strategy
	if name == "" {
		name = "the model"
	}
	line := fmt.Sprintf("%s: %s, %.1f s", name, what, a.Seconds)
	if a.PeakBytes > 0 {
		line += ", " + text.Bytes(a.PeakBytes)
	}
	if before != nil && a.failsAs(before) {
		line += ", as " + before.Strategy
	}
	return line
}

// failsAs reports whether an attempt failed for the same reason as another one. The reason is then
// printed once.
func (a *attempt) failsAs(other *attempt) bool {
	if a.Failure == nil || other.Failure == nil || a.Stage != other.Stage || a.Failure.Entry != other.Failure.Entry || a.Failure.About != other.Failure.About {
		return false
	}
	sameLine := a.UserFrame == nil && other.UserFrame == nil || a.UserFrame != nil && other.UserFrame != nil && a.UserFrame.File == other.UserFrame.File && a.UserFrame.Line == other.UserFrame.Line
	return sameLine && (a.Error == other.Error || a.Failure.Entry != "" && a.UserFrame != nil)
}

// writeDivergence writes where the results of the exported model begin to differ from PyTorch's. If
// whole is set, it writes the whole comparison.
func (a *attempt) writeDivergence(p *text.Printer, whole bool) {
	v := a.Validation
	if v == nil {
		return
	}
	if line := v.Modules.Line(); line != "" && !whole {
		p.Line("  %s", line)
	}
	var b strings.Builder
	if whole && v.WriteText(&b) == nil {
		for line := range strings.Lines(b.String()) {
			p.Line("  %s", strings.TrimRight(line, "\n"))
		}
	}
}

func writeFindings(p *text.Printer, found []string) {
	for _, line := range found[:min(len(found), shownFindings)] {
		p.Line("  finding: %s", line)
	}
	if more := len(found) - shownFindings; more > 0 {
		p.Line("  and %s; --json lists them", text.Plural(more, "finding"))
	}
}

func writeConstants(w io.Writer, d torch.Description) {
	for _, c := range d.Constants {
		fmt.Fprintf(w, "constant in the model: %s = %s\n", text.Clean(c.Path), text.CleanLine(c.Value))
	}
}
