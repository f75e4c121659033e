package steps

import (
	"fmt"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/apply"
	"lathe/graphops/parameters"
	"lathe/session"
	"lathe/session/text"
)

// filling are the options that say which stored tensors go into what is exported.
type filling struct {
	Checkpoint, Weights string
	Strict              bool
}

func (f *filling) options() []session.Option {
	return []session.Option{
		session.Path(&f.Checkpoint, "checkpoint", "make initializers of the parameters that a training checkpoint of ONNX Runtime holds: the model is the eval model"),
		session.Path(&f.Weights, "weights", "take the weights of this file: safetensors or the index of several, .npz, a checkpoint, another ONNX model"),
		session.Switch(&f.Strict, "strict", "with --checkpoint or --weights: tensors that nothing takes are an error"),
	}
}

// fill cuts the model as cut does and puts the stored tensors into it, if any were named. A
// model without its weights is cut when it has them; what takes parameters is what the cut leaves.
func (f *filling) fill(m *graphops.Model, env session.Env, cut func(*graphops.Model) (*graphops.Model, *graphops.Pruning, error)) (*graphops.Model, *graphops.Pruning, *FillingReport, error) {
	path := f.Checkpoint
	switch {
	case f.Checkpoint != "" && f.Weights != "":
		return nil, nil, nil, session.UsageError("export: --checkpoint and --weights exclude each other; --weights takes a checkpoint too, for a model that has weights of its own")
	case f.Strict && f.Checkpoint == "" && f.Weights == "":
		return nil, nil, nil, session.UsageError("--strict: has a meaning only with --checkpoint or --weights")
	case f.Weights != "":
		path = f.Weights
	case f.Checkpoint == "":
		exported, p, err := cut(m)
		return exported, p, nil, err
	}
	set, err := parameters.Open(path, graphops.OpenOptions{AllowExternal: env.AllowExternal})
	if err != nil {
		return nil, nil, nil, err
	}
	exported, p, fitting, err := f.put(m, set, cut)
	if err != nil {
		_ = set.Close() // it was only read from
		return nil, nil, nil, err
	}
	for _, w := range append(set.Warnings, fitting.Warnings...) {
		p.Warnings = append(p.Warnings, path+": "+w)
	}
	return exported, p, newFillingReport(set, fitting), nil
}

func (f *filling) put(m *graphops.Model, set *parameters.Set, cut func(*graphops.Model) (*graphops.Model, *graphops.Pruning, error)) (*graphops.Model, *graphops.Pruning, *apply.Fitting, error) {
	if f.Checkpoint == "" {
		whole, fitting, err := apply.To(m, set, apply.Options{Strict: f.Strict})
		if err != nil {
			return nil, nil, nil, about(m, err)
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
		return nil, nil, nil, about(m, err)
	}
	p.Inputs = exported.Graph().FeedInputs()
	return exported, p, fitting, nil
}

// FillingReport tells which stored tensors went where.
type FillingReport struct {
	File   string       `json:"file"`
	Kind   string       `json:"kind"`
	Bytes  int64        `json:"bytes"`
	Fits   []FittedInto `json:"fits"`
	Unused []string     `json:"unneeded"`    // the whole model takes them
	Extra  []string     `json:"superfluous"` // nothing does
	Kept   []string     `json:"kept"`        // initializers without one

	set *parameters.Set
}

// files are what the tensors came from; nil for none.
func (r *FillingReport) files() *parameters.Set {
	if r == nil {
		return nil
	}
	return r.set
}

// FittedInto is a tensor and the value that it went to.
type FittedInto struct {
	Value  string  `json:"value"`
	Tensor string  `json:"tensor"`
	Slot   string  `json:"slot"`
	Rule   string  `json:"rule,omitempty"`
	Type   string  `json:"type"`
	Shape  []int64 `json:"shape"`
	Bytes  int64   `json:"bytes"`
}

func newFillingReport(set *parameters.Set, f *apply.Fitting) *FillingReport {
	r := &FillingReport{
		set: set, File: set.Path, Kind: string(set.Kind), Bytes: f.Bytes(), Fits: []FittedInto{},
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
		r.Fits = append(r.Fits, FittedInto{fit.Value, fit.Tensor, string(fit.Slot), rule, fit.DType.String(), append([]int64{}, fit.Dims...), fit.Bytes})
	}
	return r
}

// embedded are the initializers of a model that came from the file.
func (r *FillingReport) embedded(m *graphops.Model) []string {
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

// fitsTold is how many tensors are told one by one.
const fitsTold = 20

func (r *FillingReport) writeText(w io.Writer) {
	p := text.NewPrinter(w)
	p.Line("takes %s from %s, %s", text.Plural(len(r.Fits), "tensor"), text.Clean(r.File), text.Bytes(r.Bytes))
	// Those of another name come first: they are what a person has to look at.
	told := slices.Clone(r.Fits)
	slices.SortStableFunc(told, func(a, b FittedInto) int { return boolOrder(a.Rule != "", b.Rule != "") })
	t := text.Table{Titles: []string{"value", "tensor", "type", "shape", "as"}}
	for _, fit := range told[:min(fitsTold, len(told))] {
		from := "the same"
		if fit.Tensor != fit.Value {
			from = text.Clean(fit.Tensor)
		}
		t.Add(text.Clean(fit.Value), from, fit.Type, graphops.FixedShape(fit.Shape).String(), fit.Rule)
	}
	p.Table(t)
	if more := len(told) - fitsTold; more > 0 {
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
