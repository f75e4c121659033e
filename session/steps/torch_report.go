package steps

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/session"
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
	taken    *attempt       // whose model was written
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
	// Conditional are places at which the model follows the path of the example alone: it is right
	// there, and nothing is known of other paths, or that it is wrong on them.
	Conditional []fixedPath `json:"conditional,omitempty"`
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
	d.OtherOutputs, d.InputNames, d.OutputNames, d.Changes, d.Caches = orEmpty(d.OtherOutputs), orEmpty(d.InputNames), orEmpty(d.OutputNames), orEmpty(d.Changes), orEmpty(d.Caches)
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

// leaveTried takes out suggestions that have been tried meanwhile, and those that name options
// which the step that was asked for does not have.
func (r *TorchReport) leaveTried(asked session.Step) {
	for _, a := range r.Attempts {
		if a.Failure != nil {
			f := *a.Failure
			f.Next = slices.DeleteFunc(slices.Clone(f.Next), func(s failure.Suggestion) bool { return r.hasTried(s) || !takes(asked, s) })
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

// ranBadly notes that what was exported does not run.
func (a *attempt) ranBadly(why string) {
	a.fail(failure.Raw{Strategy: a.Strategy, Stage: "run", Signal: why})
}
