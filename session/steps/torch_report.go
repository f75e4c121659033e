package steps

import (
	"fmt"
	"io"
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
	// Failure is nil where the strategy exported.
	*failed
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

// failed is why a strategy exported nothing.
type failed struct {
	Error      string          `json:"error"`
	UserFrame  *failure.Frame  `json:"user_frame"`
	Suggestion string          `json:"suggestion"`
	Failure    failure.Failure `json:"failure"`
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
	return &TorchReport{Schema: "lathe.torch-export/1", Attempts: []*attempt{}, Warnings: []string{}}
}

func (r *TorchReport) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

func (a *attempt) fail(raw failure.Raw) {
	f := failure.Distil(failure.Reported(raw))
	a.Stage = f.Stage
	a.failed = &failed{Error: f.Error, UserFrame: f.UserFrame, Failure: f}
	if f.Class != "" {
		a.failed.Error = f.Class + ": " + f.Error
	}
	if len(f.Next) > 0 {
		a.failed.Suggestion = f.Next[0].String()
	}
}

func (r *TorchReport) describe(m *graphops.Model) {
	r.Model = &exported{Path: r.File.path(), IR: m.IRVersion(), Opsets: map[string]int64{}, Nodes: len(m.Graph().Nodes()), Inputs: valuesOf(m.Graph().FeedInputs()), Outputs: valuesOf(m.Graph().Outputs())}
	for _, o := range m.Opsets() {
		r.Model.Opsets[o.Domain] = o.Version
	}
}

// WriteText implements session.Report.
func (r *TorchReport) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("%s", r.headline())
	for _, a := range r.Attempts {
		a.write(p)
	}
	if err := p.Err(); err != nil {
		return err
	}
	writeConstants(w, r.Target)
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
		for _, a := range r.Attempts {
			if a.Validation != nil {
				return "not exported: what was made of the model does not give what PyTorch does"
			}
		}
		return "not exported"
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

// shownFindings is how many findings of a model that is right are told.
const shownFindings = 4

func (a *attempt) write(p *text.Printer) {
	what := "right"
	switch {
	case a.failed != nil:
		what = "failed at " + a.Stage
	case !a.OK:
		what = "exported, and differs from PyTorch"
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
	p.Line("%s", line)
	if a.failed != nil {
		a.failed.Failure.Write(p, "  ")
	}
	switch {
	case a.Validation == nil:
	case a.OK:
		p.Line("  %s (%s)", a.Validation.Verdict, text.Plural(len(a.Validation.Cases), "case"))
		found := a.Validation.FindingLines()
		for _, line := range found[:min(len(found), shownFindings)] {
			p.Line("  finding: %s", line)
		}
		if more := len(found) - shownFindings; more > 0 {
			p.Line("  and %s, which --json tells", text.Plural(more, "finding"))
		}
	default:
		var b strings.Builder
		if a.Validation.WriteText(&b) == nil {
			for line := range strings.Lines(b.String()) {
				p.Line("  %s", strings.TrimRight(line, "\n"))
			}
		}
	}
	for _, w := range a.Warnings {
		p.Line("  %s at %s: %s", text.Clean(w.Category), text.Clean(w.At), text.CleanLine(w.Message))
	}
	if a.Report != "" {
		p.Line("  the exporter's report: %s", text.Clean(a.Report))
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
	for _, name := range r.OtherOutputs {
		fmt.Fprintf(w, "no tensor, and so no output: %s\n", text.Clean(name))
	}
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
func (a *attempt) ranBadly(err error) {
	a.fail(failure.Raw{Strategy: a.Strategy, Stage: "run", Signal: err.Error()})
}
