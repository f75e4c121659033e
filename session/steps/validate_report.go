package steps

import (
	"fmt"
	"io"
	"slices"

	"lathe/session/compare"
	"lathe/session/layers"
	"lathe/session/ort"
	"lathe/session/text"
)

// ValidateReport is what a comparison found.
type ValidateReport struct {
	Schema string `json:"schema"`
	*compare.Report
	// FirstDivergence is the node that makes the error, with --layers; its place in the
	// report of outputs is empty.
	FirstDivergence *layers.FirstReport `json:"first_divergence"`
	*layersReport
	// Modules tells where a model made of a PyTorch one begins to compute otherwise; nil where it
	// does not, and of other sides.
	Modules *moduleReport `json:"modules,omitempty"`
	Sides   sides         `json:"sides"`
	// InputPairs says which input of B was fed what an input of A was; empty where only
	// one side has inputs.
	InputPairs []inputPair `json:"input_pairs"`
	Saved      []savedCase `json:"failing_saved"`
	// Reduced is the smallest submodel that still shows what is wrong, with --reduce; nil
	// where nothing is.
	Reduced *reducedReport `json:"reduced"`
	// Saturation tells that the CPU's sums are the reason of the least signal; nil if that is not
	// shown.
	Saturation *saturationReport `json:"saturation"`
	// TF32 is true if TF32 on CUDA is the reason of the failure: in f32 all outputs pass.
	TF32  bool     `json:"tf32,omitempty"`
	Notes []string `json:"notes"`
	kept

	again  *rerun
	of     []*executor // the models that were compared; nil where they could not be
	broken error       // why a model was not loaded, or no case ran; nil if one did
}

// layersReport has a name beside that of the outputs.
type layersReport = layers.Report

// sides tell what ran each model.
type sides struct {
	A side `json:"a"`
	B side `json:"b"`
}

// The kinds of a side.
const (
	sideRuntime   = "runtime"
	sideReference = "reference"
	sideExpected  = "expected"
	sideTorch     = "pytorch"
)

// defaultOpt is how far the runtime optimizes where nothing is said.
const defaultOpt = "all"

// side is what ran one of the models.
type side struct {
	Kind      string           `json:"kind"` // a runtime, the reference evaluator, PyTorch, or expected outputs
	Provider  string           `json:"ep_attached"`
	Refused   []ort.Refusal    `json:"ep_refused,omitempty"`
	NodesByEP map[string]int64 `json:"nodes_by_ep,omitempty"` // asked for beyond the CPU only

	Version string `json:"version"`           // of ONNX Runtime, of the onnx package, or of PyTorch
	Library string `json:"runtime,omitempty"` // that was named for this side alone
	Python  string `json:"python,omitempty"`  // that runs the reference evaluator
	Opt     string `json:"opt,omitempty"`
	Threads int64  `json:"threads"` // 0 where the runtime decides
	On      string `json:"on,omitempty"`
}

// WriteText implements session.Report.
func (r *ValidateReport) WriteText(w io.Writer) error {
	if err := r.Report.WriteText(w); err != nil {
		return err
	}
	if r.layersReport != nil {
		if err := r.layersReport.WriteText(w); err != nil {
			return err
		}
	}
	p := text.NewPrinter(w)
	r.Modules.write(p)
	r.Reduced.write(p)
	for _, in := range r.InputPairs {
		in.write(p)
	}
	r.Sides.write(p)
	for _, c := range r.Saved {
		p.Line("case %q is saved; again: %s", text.Clean(c.Case), text.CleanLine(c.Again))
	}
	if line := r.Saturation.String(); line != "" {
		p.Line("reason: %s", line)
	}
	if r.TF32 {
		p.Line("reason: %s", tf32Reason)
	}
	for _, n := range r.Notes {
		p.Line("note: %s", text.CleanLine(n))
	}
	r.kept.writeText(p)
	return p.Err()
}

// write tells of a pair what its names do not.
func (i inputPair) write(p *text.Printer) {
	switch {
	case i.B == "":
		p.Line("input \"%s\" of a is given only to a: b has no such input", text.Clean(i.A))
	case i.A != i.B:
		p.Line("input \"%s\" of a and \"%s\" of b are fed the same: they are the only remaining inputs of their type", text.Clean(i.A), text.Clean(i.B))
	}
	if i.Converted != "" {
		p.Line("input \"%s\" of b takes %s and is fed what a is, converted", text.Clean(i.B), i.Converted)
	}
}

// write tells what ran the models, and what did not, once where it is the same.
func (s sides) write(p *text.Printer) {
	a, b := s.A.String(), s.B.String()
	switch {
	case a == "" && b == "":
	case a == b:
		p.Line("both ran by %s", a)
	default:
		if a != "" {
			p.Line("a ran by %s", a)
		}
		p.Line("b ran by %s", b)
	}
	writeRefused(p, slices.Concat(s.A.Refused, s.B.Refused)...)
}

// String tells what ran a side, safe to print; "" where nothing did.
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
	line := fmt.Sprintf("%s; ONNX Runtime %s, optimizations %s, %s", runBy(s.Provider, s.NodesByEP), text.Clean(s.Version), s.Opt, threads)
	if s.Library != "" {
		line += ", from " + text.Clean(s.Library)
	}
	if s.On != "" {
		line += ", on " + text.Clean(s.On)
	}
	return line
}
