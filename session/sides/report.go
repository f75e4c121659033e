package sides

import (
	"fmt"
	"io"
	"slices"

	"lathe/session/compare"
	"lathe/session/layers"
	"lathe/session/ort"
	"lathe/session/proof"
	"lathe/session/reporting"
	"lathe/session/text"
)

// Report is the report of a comparison.
type Report struct {
	Schema string `json:"schema"`
	*compare.Report
	// FirstDivergence is the node that causes the error, with --layers. It replaces the field of
	// the same name in the report of outputs, which is empty.
	FirstDivergence *layers.FirstReport `json:"first_divergence"`
	*layersReport
	// Modules says in which PyTorch module the exported model begins to differ. It is nil if it
	// does not differ or if no side is PyTorch.
	Modules *moduleReport `json:"modules,omitempty"`
	Sides   Sides         `json:"sides"`
	// InputPairs says for each input of A which input of B gets its value. It is empty if only one
	// side has inputs.
	InputPairs []inputPair `json:"input_pairs"`
	Saved      []savedCase `json:"failing_saved"`
	// Reduced is the smallest submodel that still shows the problem, with --reduce. It is nil if
	// there is no problem.
	Reduced *reducedReport `json:"reduced"`
	// Saturation reports that sums on the CPU cause the largest error. It is nil unless that was
	// shown.
	Saturation *saturationReport `json:"saturation"`
	// TF32 reports that TF32 on CUDA is why the comparison fails: in f32, all outputs pass.
	TF32 bool `json:"tf32,omitempty"`
	// Steps says whether decoders give the same step by step as all at once. It is nil if no side
	// has a cache, or if that was not asked for.
	Steps *stepsReport `json:"steps,omitempty"`
	// Rows says for each axis that is fixed only in A whether B computes several rows at once as A
	// computes each alone. It is nil if rows were not compared.
	Rows []proof.Axis `json:"rows,omitempty"`
	// Generated says what both sides generate, with --generate.
	Generated *generatedReport `json:"generated,omitempty"`
	Notes     []string         `json:"notes"`
	reporting.Kept

	again  *rerun
	of     []*Executor // the compared models; nil if they could not be compared
	Broken error       // why a model was not loaded or no case ran; nil if one ran
}

// layersReport gives the embedded report another name than that of the outputs.
type layersReport = layers.Report

// Sides says in which runtime and on which provider each model ran.
type Sides struct {
	A side `json:"a"`
	B side `json:"b"`
}

// The kinds of sides.
const (
	sideRuntime   = "runtime"
	sideReference = "reference"
	sideExpected  = "expected"
	sideTorch     = "pytorch"
)

// defaultOpt is the optimization level that the runtime uses if none is given.
const defaultOpt = "all"

// Side is what ran one of the models.
type side struct {
	Kind      string           `json:"kind"` // a runtime, the reference evaluator, PyTorch, or expected outputs
	Provider  string           `json:"ep_attached"`
	Refused   []ort.Refusal    `json:"ep_refused,omitempty"`
	NodesByEP map[string]int64 `json:"nodes_by_ep,omitempty"` // nil if only the CPU was requested

	Version string `json:"version"`           // of ONNX Runtime, of the onnx package, or of PyTorch
	Library string `json:"runtime,omitempty"` // the runtime named for this side only
	Python  string `json:"python,omitempty"`  // the Python that runs the reference evaluator
	Opt     string `json:"opt,omitempty"`
	Threads int64  `json:"threads"` // 0 if the runtime decides
	On      string `json:"on,omitempty"`
}

// WriteText implements session.Report.
func (r *Report) WriteText(w io.Writer) error {
	if err := r.writeOutputs(w); err != nil {
		return err
	}
	if r.layersReport != nil {
		if err := r.layersReport.WriteText(w); err != nil {
			return err
		}
	}
	p := text.NewPrinter(w)
	r.Steps.write(p)
	r.Modules.write(p)
	r.Reduced.write(p)
	for _, in := range r.InputPairs {
		in.write(p)
	}
	r.Sides.write(p)
	for _, c := range r.Saved {
		p.Line("case %q is saved; to run it again: %s", text.Clean(c.Case), text.CleanLine(c.Again))
	}
	if line := r.Saturation.String(); line != "" {
		p.Line("reason: %s", line)
	}
	if r.TF32 {
		p.Line("reason: %s", TF32Reason)
	}
	for _, n := range r.Notes {
		p.Line("note: %s", text.CleanLine(n))
	}
	r.Kept.Print(p)
	return p.Err()
}

// writeOutputs writes how the outputs compare, or the headline if a model was only compared with itself.
func (r *Report) writeOutputs(w io.Writer) error {
	if r.Generated == nil && (r.Steps == nil || !r.Steps.Alone) {
		return r.Report.WriteText(w)
	}
	p := text.NewPrinter(w)
	p.Line("%s", r.Headline)
	r.Generated.write(p)
	return p.Err()
}

// write writes a pair whose names differ, or whose types do.
func (i inputPair) write(p *text.Printer) {
	switch {
	case i.B == "":
		p.Line("input \"%s\" of a is used only by a: b has no such input", text.Clean(i.A))
	case i.A != i.B:
		p.Line("input \"%s\" of a and \"%s\" of b are fed the same: they are the only remaining inputs of their type", text.Clean(i.A), text.Clean(i.B))
	}
	if i.Converted != "" {
		p.Line("input \"%s\" of b takes %s and gets the value of a, converted", text.Clean(i.B), i.Converted)
	}
}

// write writes what ran the models and which providers did not attach, in one line if both sides
// are the same.
func (s Sides) write(p *text.Printer) {
	a, b := s.A.String(), s.B.String()
	switch {
	case a == "" && b == "":
	case s.A.Kind == "":
		p.Line("ran by %s", b)
	case a == b:
		p.Line("both ran on %s", a)
	default:
		if a != "" {
			p.Line("a ran by %s", a)
		}
		p.Line("b ran by %s", b)
	}
	reporting.WriteRefused(p, slices.Concat(s.A.Refused, s.B.Refused)...)
}

// String says what ran a side, safe to print, or "" if nothing ran.
func (s side) String() string {
	switch s.Kind {
	case "", sideExpected:
		return ""
	case sideTorch:
		return fmt.Sprintf("PyTorch %s in %s", text.Clean(s.Version), text.Clean(s.Python))
	case sideReference:
		return fmt.Sprintf("the reference evaluator of onnx %s in %s", text.Clean(s.Version), text.Clean(s.Python))
	}
	threads := "threads as it decides"
	if s.Threads > 0 {
		threads = text.Plural(int(s.Threads), "thread")
	}
	line := fmt.Sprintf("%s; ONNX Runtime %s, optimizations %s, %s", reporting.RunBy(s.Provider, s.NodesByEP), text.Clean(s.Version), s.Opt, threads)
	if s.Library != "" {
		line += ", from " + text.Clean(s.Library)
	}
	if s.On != "" {
		line += ", on " + text.Clean(s.On)
	}
	return line
}
