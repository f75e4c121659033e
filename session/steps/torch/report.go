package torch

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/filling"
	"lathe/session/quantization"
	"lathe/session/reporting"
	"lathe/session/sides"
	"lathe/session/stepwise"
	"lathe/session/torch"
	"lathe/session/torch/failure"
)

// torchReport is the report of an export from PyTorch.
type torchReport struct {
	Schema   string            `json:"schema"`
	OK       bool              `json:"ok"`
	Attempts []*attempt        `json:"attempts"`
	Model    *exported         `json:"model"` // nil if none was written
	Target   torch.Description `json:"target"`
	// Quantize is the report of the quantization. It is nil if there was none.
	Quantize *quantization.Report `json:"quantize,omitempty"`
	// Filled says which tensor of the file of weights went to which value. It is nil if there is no
	// file.
	Filled   *filling.Report      `json:"weights,omitempty"`
	File     *reporting.SavedFile `json:"file,omitempty"`
	Warnings []string             `json:"warnings"`
	taken    *attempt             // the attempt whose model was written
}

// attempt is the result of one strategy: the exported model, or the reason why the strategy failed.
type attempt struct {
	Strategy  string  `json:"strategy"`
	OK        bool    `json:"ok"`
	Exported  bool    `json:"exported"`
	Stage     string  `json:"stage"` // the stage that failed, or "done"
	Seconds   float64 `json:"seconds"`
	PeakBytes int64   `json:"peak_bytes"`
	Opset     int64   `json:"opset,omitempty"` // opset of the written model
	// Error is why the strategy failed, UserFrame is where, and Suggestion is what to try first.
	// They are empty and nil if the result is right.
	Error      string         `json:"error"`
	UserFrame  *failure.Frame `json:"user_frame"`
	Suggestion string         `json:"suggestion"`
	// Conditional are places at which the model follows only the path of the example. It is right
	// there. On other paths it is wrong, or nothing is known.
	Conditional []fixedPath `json:"conditional,omitempty"`
	// Failure has all details of the failure. It is nil if the result is right.
	Failure *failure.Failure `json:"failure"`
	// Trainable reports, with --training, that every parameter is an initializer with its elements.
	Trainable bool `json:"trainable,omitempty"`
	// Validation is the comparison of PyTorch and ONNX Runtime. It is nil if they were not
	// compared.
	Validation *sides.Report `json:"validation"`
	// Steps is the comparison of a model with a cache with itself, step by step and all at once. It
	// is nil if the model has no cache, or was not compared.
	Steps  *stepwise.Report `json:"steps,omitempty"`
	Report string           `json:"report,omitempty"` // the exporter's report, if it was kept
	// Warnings are Python's warnings about lines of the user's code.
	Warnings []torchWarning `json:"warnings"`
}

// torchWarning is a warning that Python or PyTorch gave during the export.
type torchWarning struct {
	Category string `json:"category"`
	Message  string `json:"message"`
	At       string `json:"at"` // FILE:LINE
}

// exported describes the written model.
type exported struct {
	Path    string            `json:"path"`
	IR      int64             `json:"ir_version"`
	Opsets  map[string]int64  `json:"opsets"`
	Nodes   int               `json:"nodes"`
	Inputs  []reporting.Value `json:"inputs"`
	Outputs []reporting.Value `json:"outputs"`
}

func newTorchReport() *torchReport {
	r := &torchReport{Schema: "lathe.torch-export/1", Attempts: []*attempt{}, Warnings: []string{}}
	r.takeTarget(torch.Description{})
	return r
}

func (r *torchReport) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// warnOnce adds a warning that several strategies may repeat.
func (r *torchReport) warnOnce(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); !slices.Contains(r.Warnings, line) {
		r.Warnings = append(r.Warnings, line)
	}
}

// takeTarget stores the description of the target, with empty lists instead of null.
func (r *torchReport) takeTarget(d torch.Description) {
	d.Inputs, d.Constants, d.Outputs, d.Dynamic = reporting.OrEmpty(d.Inputs), reporting.OrEmpty(d.Constants), reporting.OrEmpty(d.Outputs), reporting.OrEmpty(d.Dynamic)
	d.OtherOutputs, d.InputNames, d.OutputNames, d.Changes, d.Caches, d.Assumed = reporting.OrEmpty(d.OtherOutputs), reporting.OrEmpty(d.InputNames), reporting.OrEmpty(d.OutputNames), reporting.OrEmpty(d.Changes), reporting.OrEmpty(d.Caches), reporting.OrEmpty(d.Assumed)
	if d.Versions == nil {
		d.Versions = map[string]string{}
	}
	r.Target = d
}

func (a *attempt) fail(raw failure.Raw) { a.failWith(failure.Distil(failure.Reported(raw))) }

func (a *attempt) failWith(f failure.Failure) {
	f.Next, f.Around = reporting.OrEmpty(f.Next), reporting.OrEmpty(f.Around)
	a.Stage, a.Failure, a.UserFrame = f.Stage, &f, f.UserFrame
	a.Error, a.Suggestion = f.Error, ""
	if f.Class != "" {
		a.Error = f.Class + ": " + f.Error
	}
	if len(f.Next) > 0 {
		a.Suggestion = f.Next[0].String()
	}
}

// leaveTried removes suggestions that have been tried already, and those with options that the
// called step does not have.
func (r *torchReport) leaveTried(asked session.Step) {
	for _, a := range r.Attempts {
		if a.Failure != nil {
			f := *a.Failure
			f.Next = slices.DeleteFunc(slices.Clone(f.Next), func(s failure.Suggestion) bool { return r.hasTried(s) || !takes(asked, s) })
			a.failWith(f)
		}
	}
}

func (r *torchReport) describe(m *graphops.Model) {
	r.Model = &exported{Path: r.File.Where(), IR: m.IRVersion(), Opsets: map[string]int64{}, Nodes: len(m.Graph().Nodes()), Inputs: reporting.ValuesOf(m.Graph().FeedInputs()), Outputs: reporting.ValuesOf(m.Graph().Outputs())}
	for _, o := range m.Opsets() {
		r.Model.Opsets[o.Domain] = o.Version
	}
}

// ranBadly records that the exported model could not be run, and why.
func (a *attempt) ranBadly(why string) {
	a.fail(failure.Raw{Strategy: a.Strategy, Stage: "run", Signal: why})
}
