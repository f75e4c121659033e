package filling

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"lathe/graphops"
	"lathe/graphops/apply"
	"lathe/graphops/parameters"
	"lathe/graphops/permit"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/text"
	"lathe/session/torch"
)

// WeightFiles are the extensions of files that weights are taken from.
var WeightFiles = []string{".safetensors", ".npz", ".onnx", ".pt", ".pth", ".bin", ".ckpt", ".json"}

// Flags has the options for adding stored tensors to the exported model.
type Flags struct {
	Checkpoint, Weights string
	Strict              bool
	// Nameless is set if the weights are in a temporary file that was opened and then removed.
	// Other processes cannot open it, so they cannot read the weights from it.
	Nameless bool
}

// Options returns the options.
func (f *Flags) Options() []session.Option {
	return []session.Option{
		session.Path(&f.Checkpoint, "checkpoint", "add the parameters of this ONNX Runtime training checkpoint as initializers; the model is the eval model").WithDefault("none"),
		session.Path(&f.Weights, "weights", "take the weights from this file: safetensors or its index file, .npz, a checkpoint, another ONNX model, or a .pt of PyTorch, which your Python reads without running code from it").OfFiles(WeightFiles...).WithDefault("the weights in the model").Doing(deedsOfWeights),
		session.Switch(&f.Strict, "strict", "with --checkpoint or --weights: fail if the model does not use a tensor of the file"),
	}
}

// deedsOfWeights returns what reading a file of weights does: Python reads a .pt.
func deedsOfWeights(path string) []permit.Deed {
	if parameters.IsPickle(path) {
		return []permit.Deed{permit.Python}
	}
	return nil
}

// Fill cuts the model with cut and puts stored tensors into it, if a file of tensors is named. With
// --weights, the tensors are put in first, because the model may have no weights before. With
// --checkpoint, the model is cut first, and its remaining parameters get tensors.
func (f *Flags) Fill(ctx context.Context, m *graphops.Model, env session.Env, cut func(*graphops.Model) (*graphops.Model, *graphops.Pruning, error)) (*graphops.Model, *graphops.Pruning, *Report, error) {
	path := f.Checkpoint
	switch {
	case f.Checkpoint != "" && f.Weights != "":
		return nil, nil, nil, session.UsageError("export: --checkpoint and --weights exclude each other; --weights takes a checkpoint too, for a model that has weights of its own")
	case f.Strict && f.Checkpoint == "" && f.Weights == "":
		return nil, nil, nil, session.UsageError("--strict: has an effect only with --checkpoint or --weights")
	case f.Weights != "":
		path = f.Weights
	case f.Checkpoint == "":
		exported, p, err := cut(m)
		return exported, p, nil, err
	}
	set, err := f.Open(ctx, env, path)
	if err != nil {
		return nil, nil, nil, err
	}
	exported, p, fitting, err := f.put(m, set, cut)
	if err := Explain(err, set); err != nil {
		_ = set.Close() // the file was only read
		return nil, nil, nil, err
	}
	for _, w := range append(set.Warnings, fitting.Warnings...) {
		p.Warnings = append(p.Warnings, path+": "+w)
	}
	return exported, p, NewReport(set, fitting), nil
}

// Open lists the tensors in a file. If it is a .pt file, PyTorch first converts it to a temporary
// file. That file is opened and then removed, so that it stays readable only here.
func (f *Flags) Open(ctx context.Context, env session.Env, path string) (*parameters.Set, error) {
	if f.Weights == "" || env.Python == nil || !parameters.IsPickle(path) {
		return parameters.Open(path, graphops.OpenOptions{AllowExternal: env.AllowExternal})
	}
	interpreter, err := env.Python()
	if err != nil {
		return nil, fmt.Errorf("%s: a .pt is read by PyTorch: %w", path, err)
	}
	temp, err := os.MkdirTemp("", "lathe-torch-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(temp) }() // the files in it stay open
	u, err := torch.Unpickle(ctx, interpreter, path, temp, func(phase string) { env.Progress(session.Progress{Phase: phase}) })
	if err != nil {
		return nil, err
	}
	set, err := parameters.Open(u.Path, graphops.OpenOptions{})
	if err != nil {
		return nil, err
	}
	set.Path, f.Nameless = path, true
	if u.Key != "" {
		set.Warnings = append(set.Warnings, fmt.Sprintf("the file has several objects; %q was used", u.Key))
	}
	if len(u.Skipped) > 0 {
		set.Warnings = append(set.Warnings, "left out, because a model cannot store tensors of their type or layout: "+graphops.QuoteNames(u.Skipped))
	}
	return set, nil
}

func (f *Flags) put(m *graphops.Model, set *parameters.Set, cut func(*graphops.Model) (*graphops.Model, *graphops.Pruning, error)) (*graphops.Model, *graphops.Pruning, *apply.Fitting, error) {
	if f.Checkpoint == "" {
		whole, fitting, err := apply.To(m, set, apply.Options{Strict: f.Strict})
		if err != nil {
			return nil, nil, nil, session.InModel(m, err)
		}
		exported, p, err := cut(whole)
		return exported, p, fitting, err
	}
	if set.Kind != parameters.Checkpoint {
		return nil, nil, nil, fmt.Errorf("%s: %s, expected a training checkpoint; --weights takes it", set.Path, set.Kind)
	}
	part, p, err := cut(m)
	if err != nil {
		return nil, nil, nil, err
	}
	exported, fitting, err := apply.To(part, set, apply.Options{Parameters: true, Strict: f.Strict, Whole: m})
	if err != nil {
		return nil, nil, nil, session.InModel(m, err)
	}
	p.Inputs = exported.Graph().FeedInputs()
	return exported, p, fitting, nil
}

// Explain adds a list of all tensors to the error about tensors of a set that do not fit the model.
// It returns other errors unchanged.
func Explain(err error, set *parameters.Set) error {
	var misfit *apply.MisfitError
	if errors.As(err, &misfit) {
		return &misfitError{err, NewReport(set, misfit.Fitting)}
	}
	return err
}

// misfitError is the error of tensors that do not fit the model, with a list of all tensors.
type misfitError struct {
	error
	found *Report
}

// Unwrap returns the error without the report.
func (e *misfitError) Unwrap() error { return e.error }

// Explain implements session.Explained.
func (e *misfitError) Explain(w io.Writer) error {
	p := text.NewPrinter(w)
	wrong := 0
	for _, fit := range e.found.Fits {
		if fit.Wrong != "" {
			wrong++
		}
	}
	p.Line("does not fit: %d of another type or shape, %d missing", wrong, len(e.found.Missing))
	e.found.Print(p, len(e.found.Fits)+len(e.found.Missing))
	return p.Err()
}

// Report says which stored tensor went to which value.
type Report struct {
	File   string       `json:"file"`
	Kind   string       `json:"kind"`
	Bytes  int64        `json:"bytes"`
	Fits   []FittedInto `json:"fits"`
	Unused []string     `json:"unneeded"`    // tensors whose value is not in the exported part
	Extra  []string     `json:"superfluous"` // tensors that belong to no value of the model
	Kept   []string     `json:"kept"`        // initializers that keep their values
	// Missing are values that need a tensor and have none. If there are any, nothing is exported.
	Missing []apply.Missing `json:"-"`

	set *parameters.Set
}

// Files returns the set of files that the tensors came from, or nil.
func (r *Report) Files() *parameters.Set {
	if r == nil {
		return nil
	}
	return r.set
}

// FittedInto is a tensor and the value that it was put into.
type FittedInto struct {
	Value  string  `json:"value"`
	Tensor string  `json:"tensor"`
	Slot   string  `json:"slot"`
	Rule   string  `json:"rule,omitempty"`
	Type   string  `json:"type"`
	Shape  []int64 `json:"shape"`
	Bytes  int64   `json:"bytes"`
	// Wants is the type that the model declares for the value. Wrong is the reason why the tensor
	// does not fit, or "".
	Wants string `json:"-"`
	Wrong string `json:"-"`
}

// NewReport describes how the tensors of a set fit the model.
func NewReport(set *parameters.Set, f *apply.Fitting) *Report {
	r := &Report{
		set: set, Missing: f.Missing, File: set.Path, Kind: string(set.Kind), Bytes: f.Bytes(), Fits: []FittedInto{},
		Unused: append([]string{}, f.Unneeded...), Extra: append([]string{}, f.Superfluous...), Kept: append([]string{}, f.Kept...),
	}
	for _, fit := range f.Fits {
		rule := string(fit.Rule)
		if fit.Prefix != "" {
			rule += " " + fit.Prefix
		}
		if fit.Transposed {
			rule += ", transposed"
		}
		r.Fits = append(r.Fits, FittedInto{
			Value: fit.Value, Tensor: fit.Tensor, Slot: string(fit.Slot), Rule: rule, Type: fit.DType.String(), Shape: append([]int64{}, fit.Dims...), Bytes: fit.Bytes,
			Wants: wanted(fit.Wants), Wrong: fit.Wrong,
		})
	}
	return r
}

// Embedded returns the initializers of a model whose values came from the file of tensors.
func (r *Report) Embedded(m *graphops.Model) []string {
	out := []string{}
	if r == nil {
		return out
	}
	from := map[string]bool{}
	for _, fit := range r.Fits {
		from[fit.Value] = true
	}
	for _, t := range m.Graph().Initializers() {
		if from[t.Name()] {
			out = append(out, t.Name())
		}
	}
	return out
}

// FitsTold is how many tensors a report lists unless all are requested.
const FitsTold = 20

// wanted returns a type with its shape, or "" if the model does not state it.
func wanted(t graphops.Type) string {
	if t.Elem == tensor.Undefined {
		return ""
	}
	return t.String() + " " + t.Shape.String()
}

// Print lists up to most tensors, each value of the model beside its tensor. Tensors that do not
// fit come first, then those with another name, because a person has to check these.
func (r *Report) Print(p *text.Printer, most int) {
	p.Line("takes %s from %s, %s", text.Plural(len(r.Fits), "tensor"), text.Clean(r.File), text.Bytes(r.Bytes))
	told := slices.Clone(r.Fits)
	slices.SortStableFunc(told, func(a, b FittedInto) int {
		return cmp.Or(boolOrder(a.Wrong != "", b.Wrong != ""), boolOrder(a.Rule != "", b.Rule != ""))
	})
	t := text.Table{Titles: []string{"value", "tensor", "type", "shape", "as"}}
	if len(r.Missing) > 0 || len(told) > 0 && told[0].Wrong != "" {
		t = text.Table{Titles: []string{"", "value", "holds", "tensor", "type", "shape", "as"}}
		for _, m := range r.Missing {
			near := ""
			if len(m.Near) > 0 {
				near = "nearest: " + graphops.QuoteNames(m.Near)
			}
			t.Add("missing", text.Clean(m.Value), text.Clean(wanted(m.Wants)), "none", "", "", text.CleanLine(near))
		}
	}
	for _, fit := range told[:min(most, len(told))] {
		from, state, as := "the same", "", fit.Rule
		if fit.Tensor != fit.Value {
			from = text.Clean(fit.Tensor)
		}
		if fit.Wrong != "" {
			state, as = "wrong", fit.Wrong
		}
		row := []any{text.Clean(fit.Value), from, fit.Type, graphops.FixedShape(fit.Shape).String(), as}
		if len(t.Titles) > len(row) {
			row = []any{state, text.Clean(fit.Value), text.Clean(fit.Wants), from, fit.Type, graphops.FixedShape(fit.Shape).String(), as}
		}
		t.Add(row...)
	}
	if len(t.Rows) > 0 {
		p.Table(t)
	}
	if more := len(told) - most; more > 0 && most > 0 {
		p.Line("and %d more", more)
	}
	for _, left := range []struct {
		what  string
		names []string
	}{
		{"only the rest of the model takes", r.Unused}, {"nothing takes", r.Extra}, {"not in the file, and left as they are:", r.Kept},
	} {
		if len(left.names) > 0 {
			p.Line("%s %s", left.what, text.CleanLine(graphops.QuoteNames(left.names)))
		}
	}
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
