package steps

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/text"
	"lathe/session/torch"
	"lathe/session/torch/failure"
)

// TorchReport is what an export from PyTorch came to.
type TorchReport struct {
	Schema   string            `json:"schema"`
	OK       bool              `json:"ok"`
	Attempts []*attempt        `json:"attempts"`
	Model    *exported         `json:"model"` // nil where none was written
	Target   torch.Description `json:"target"`
	// Quantize is what was quantized of what was exported; nil where that was not asked for.
	Quantize *QuantizeReport `json:"quantize,omitempty"`
	// Filled tells which tensors of the file of weights went where; nil where there is none.
	Filled   *FillingReport `json:"weights,omitempty"`
	File     *savedFile     `json:"file,omitempty"`
	Warnings []string       `json:"warnings"`
}

// attempt is what one strategy came to.
type attempt struct {
	Strategy  string  `json:"strategy"`
	OK        bool    `json:"ok"`
	Exported  bool    `json:"exported"`
	Stage     string  `json:"stage"` // that failed, or "done"
	Seconds   float64 `json:"seconds"`
	PeakBytes int64   `json:"peak_bytes"`
	Opset     int64   `json:"opset,omitempty"` // that the file has
	// Error is why the strategy came to nothing, UserFrame where, and Suggestion what to try
	// first; "" and nil where it is right.
	Error      string         `json:"error"`
	UserFrame  *failure.Frame `json:"user_frame"`
	Suggestion string         `json:"suggestion"`
	// Failure is all that is known of that, nil where the strategy is right.
	Failure *failure.Failure `json:"failure"`
	// Trainable tells that every parameter is an initializer with its elements, with --training.
	Trainable bool `json:"trainable,omitempty"`
	// Validation is what PyTorch and ONNX Runtime gave beside each other; nil where that was
	// not looked at.
	Validation *ValidateReport `json:"validation"`
	Report     string          `json:"report,omitempty"` // of the exporter, where it was kept
	// Warnings are those that Python gave of lines of the user's own.
	Warnings []torchWarning `json:"warnings"`
}

// torchWarning is a warning of Python's.
type torchWarning struct {
	Category string `json:"category"`
	Message  string `json:"message"`
	At       string `json:"at"` // FILE:LINE
}

// exported is the model that was written.
type exported struct {
	Path    string           `json:"path"`
	IR      int64            `json:"ir_version"`
	Opsets  map[string]int64 `json:"opsets"`
	Nodes   int              `json:"nodes"`
	Inputs  []value          `json:"inputs"`
	Outputs []value          `json:"outputs"`
}

func newTorchReport() *TorchReport {
	r := &TorchReport{Schema: "lathe.torch-export/1", Attempts: []*attempt{}, Warnings: []string{}}
	r.takeTarget(torch.Description{})
	return r
}

func (r *TorchReport) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// warnOnce is warn of what several strategies may tell.
func (r *TorchReport) warnOnce(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); !slices.Contains(r.Warnings, line) {
		r.Warnings = append(r.Warnings, line)
	}
}

// takeTarget keeps what is known of the target, lists never null.
func (r *TorchReport) takeTarget(d torch.Description) {
	d.Inputs, d.Constants, d.Outputs, d.Dynamic = orEmpty(d.Inputs), orEmpty(d.Constants), orEmpty(d.Outputs), orEmpty(d.Dynamic)
	d.OtherOutputs, d.InputNames, d.OutputNames, d.Changes = orEmpty(d.OtherOutputs), orEmpty(d.InputNames), orEmpty(d.OutputNames), orEmpty(d.Changes)
	if d.Versions == nil {
		d.Versions = map[string]string{}
	}
	r.Target = d
}

func (a *attempt) fail(raw failure.Raw) { a.failWith(failure.Distil(failure.Reported(raw))) }

func (a *attempt) failWith(f failure.Failure) {
	f.Next, f.Around = orEmpty(f.Next), orEmpty(f.Around)
	a.Stage, a.Failure, a.UserFrame = f.Stage, &f, f.UserFrame
	a.Error, a.Suggestion = f.Error, ""
	if f.Class != "" {
		a.Error = f.Class + ": " + f.Error
	}
	if len(f.Next) > 0 {
		a.Suggestion = f.Next[0].String()
	}
}

// leaveTried takes out suggestions that have been tried meanwhile.
func (r *TorchReport) leaveTried() {
	for _, a := range r.Attempts {
		if a.Failure != nil {
			f := *a.Failure
			f.Next = slices.DeleteFunc(slices.Clone(f.Next), r.hasTried)
			a.failWith(f)
		}
	}
}

func (r *TorchReport) describe(m *graphops.Model) {
	r.Model = &exported{Path: r.File.path(), IR: m.IRVersion(), Opsets: map[string]int64{}, Nodes: len(m.Graph().Nodes()), Inputs: valuesOf(m.Graph().FeedInputs()), Outputs: valuesOf(m.Graph().Outputs())}
	for _, o := range m.Opsets() {
		r.Model.Opsets[o.Domain] = o.Version
	}
}

var _ session.Thorough = (*TorchReport)(nil)

// WriteText implements session.Report.
func (r *TorchReport) WriteText(w io.Writer) error { return r.writeText(w, false) }

// WriteWhole implements session.Thorough: comparisons that fail stand there with all their numbers,
// failures with all that was raised.
func (r *TorchReport) WriteWhole(w io.Writer) error { return r.writeText(w, true) }

func (r *TorchReport) writeText(w io.Writer, whole bool) error {
	p := text.NewPrinter(w)
	p.Line("%s", r.headline())
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
	if r.Model != nil {
		writeValues(w, "inputs", r.Model.Inputs)
		writeValues(w, "outputs", r.Model.Outputs)
	}
	if r.Quantize != nil {
		fmt.Fprintln(w, "quantized:")
		if err := r.Quantize.WriteText(w); err != nil {
			return err
		}
	}
	if r.Filled != nil {
		r.Filled.write(p, 0)
	}
	r.File.writeText(w)
	writeWarnings(w, r.Warnings)
	return nil
}

func (r *TorchReport) headline() string {
	if !r.OK {
		line := "not exported"
		for _, a := range r.Attempts {
			switch {
			case a.Validation == nil:
			case a.Validation.Undecided:
				return "not exported: what was made of the model cannot be judged"
			default:
				line = "not exported: what was made of the model does not give what PyTorch does"
			}
		}
		return line
	}
	last, nodes := r.Attempts[len(r.Attempts)-1], r.Model.Nodes
	if r.Quantize != nil {
		nodes = r.Quantize.Before.Nodes
	}
	line := fmt.Sprintf("exported by %s, opset %d, %s", last.Strategy, last.Opset, text.Plural(nodes, "node"))
	if last.Trainable {
		return line + ", for training: every parameter is an initializer with its elements"
	}
	if last.Validation != nil {
		line += ", and equal to PyTorch within tolerance"
	} else {
		line += ", not compared with PyTorch"
	}
	if r.Quantize != nil {
		line += fmt.Sprintf("; then quantized, %s", text.Plural(r.Quantize.After.Nodes, "node"))
	}
	return line
}

// shownFindings is how many findings of a comparison are told.
const shownFindings = 4

func (a *attempt) write(p *text.Printer, before *attempt, whole bool) {
	p.Line("%s", a.outcome(before))
	switch {
	case before != nil && a.failsAs(before):
	case a.Failure != nil:
		a.Failure.Write(p, "  ")
		a.writeDivergence(p, whole)
	case a.Validation != nil:
		p.Line("  %s (%s)", a.Validation.Verdict, text.Plural(len(a.Validation.Cases), "case"))
	}
	if a.Validation != nil && (a.Validation.Pass || a.Validation.Undecided && !whole) {
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

// outcome is what came of the attempt, in a line.
func (a *attempt) outcome(before *attempt) string {
	what := "right"
	switch {
	case a.Validation != nil && a.Validation.Undecided:
		what = "exported, and cannot be judged"
	case a.Failure != nil && a.Failure.Entry == notFree:
		what = "exported, and not free"
	case a.Failure != nil && a.Validation != nil:
		what = "exported, and differs from PyTorch"
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

// failsAs reports whether an attempt came to nothing for the same reason as another, which is
// then told once.
func (a *attempt) failsAs(other *attempt) bool {
	if a.Failure == nil || other.Failure == nil || a.Stage != other.Stage || a.Failure.Entry != other.Failure.Entry || a.Failure.About != other.Failure.About {
		return false
	}
	sameLine := a.UserFrame == nil && other.UserFrame == nil || a.UserFrame != nil && other.UserFrame != nil && a.UserFrame.File == other.UserFrame.File && a.UserFrame.Line == other.UserFrame.Line
	return sameLine && (a.Error == other.Error || a.Failure.Entry != "" && a.UserFrame != nil)
}

// writeDivergence tells where what was exported begins to compute otherwise, or all of the
// comparison.
func (a *attempt) writeDivergence(p *text.Printer, whole bool) {
	v := a.Validation
	if v == nil {
		return
	}
	if line := v.Modules.line(); line != "" && !whole {
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
		p.Line("  and %s, which --json tells", text.Plural(more, "finding"))
	}
}

func writeConstants(w io.Writer, d torch.Description) {
	for _, c := range d.Constants {
		fmt.Fprintf(w, "constant in the model: %s = %s\n", text.Clean(c.Path), text.CleanLine(c.Value))
	}
}

// unmade is the error of a model that could not be made, or run on its example, for a preview.
type unmade struct{ failure.Failure }

func (e *unmade) Error() string {
	words := []string{e.Failure.Error}
	if e.Class != "" {
		words[0] = e.Class + ": " + e.Failure.Error
	}
	if e.UserFrame != nil {
		words = append(words, e.UserFrame.String())
	}
	if len(e.Next) > 0 {
		words = append(words, e.Next[0].String())
	}
	return strings.Join(words, "; ")
}

// Explain implements session.Explained.
func (e *unmade) Explain(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("failed at %s", text.Clean(e.Stage))
	e.Write(p, "")
	return p.Err()
}

func writeOtherOutputs(w io.Writer, d torch.Description) {
	for _, name := range d.OtherOutputs {
		fmt.Fprintf(w, "no tensor, and so no output: %s\n", text.Clean(name))
	}
}

// TorchTargetReport tells how a PyTorch model is called.
type TorchTargetReport struct {
	Schema string `json:"schema"`
	torch.Description
	Python string `json:"python"`
}

var _ session.Introspected = (*TorchTargetReport)(nil)

// Nameable implements session.Introspected: what is called with, and the axes of that and of
// outputs that have a name.
func (r *TorchTargetReport) Nameable(of session.Subject) []session.Nameable {
	var out []session.Nameable
	axes := func(name string, l torch.Leaf) {
		for axis, size := range l.Shape {
			out = append(out, session.Nameable{Name: fmt.Sprintf("%s:%d", name, axis), About: fmt.Sprint(size)})
		}
	}
	switch of {
	case session.NamesArgument:
		for _, l := range r.Inputs {
			out = append(out, session.Nameable{Name: l.Path, About: l.Type + " " + tensor.FormatShape(l.Shape)})
		}
	case session.NamesAxis:
		for _, l := range r.Inputs {
			axes(l.Path, l)
		}
		for i, name := range r.OutputNames {
			if i < len(r.Outputs) {
				axes(name, r.Outputs[i])
			}
		}
	}
	return out
}

// WriteText implements session.Report.
func (r *TorchTargetReport) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s, %d parameters, PyTorch %s in %s\n", text.Clean(r.Class), r.Parameters, text.Clean(r.Versions["torch"]), text.Clean(r.Python))
	writeLeaves(w, "inputs", r.Inputs)
	writeLeaves(w, "outputs", r.Outputs)
	writeConstants(w, r.Description)
	writeOtherOutputs(w, r.Description)
	for _, a := range r.Dynamic {
		fmt.Fprintf(w, "free: %s:%d=%s\n", text.Clean(a.Path), a.Axis, text.Clean(a.Symbol))
	}
	if r.Trained {
		fmt.Fprintln(w, "the model is in training mode, and is exported in inference mode")
	}
	fmt.Fprintln(w, "-o FILE exports it")
	return nil
}

func writeLeaves(w io.Writer, title string, list []torch.Leaf) {
	values := make([]value, len(list))
	for i, l := range list {
		values[i] = value{Name: l.Path, Type: l.Type, Shape: graphops.FixedShape(l.Shape)}
		if l.Path == "" {
			values[i].Name = "(the result)"
		}
	}
	writeValues(w, title, values)
}

func elemOf(l torch.Leaf) tensor.DType {
	t, err := tensor.ParseDType(l.Type)
	if err != nil {
		return tensor.Undefined
	}
	return t
}

// ranBadly notes that what was exported does not run.
func (a *attempt) ranBadly(why string) {
	a.fail(failure.Raw{Strategy: a.Strategy, Stage: "run", Signal: why})
}
