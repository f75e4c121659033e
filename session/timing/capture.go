package timing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lathe/bench"
	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/runtime"
	"lathe/session/text"
)

// captureError is the error of a model whose work a provider cannot capture.
type captureError struct{ model, provider, why string }

// Error is one line, safe to print.
func (e *captureError) Error() string {
	return text.CleanLine(fmt.Sprintf("%s: its graph cannot be captured: %s; leave out --graph-capture to measure it without", e.model, e.why))
}

// Unwrap returns the error of a provider that does not attach, because in both cases the model does
// not run as it should.
func (e *captureError) Unwrap() error {
	return &ort.ProviderError{Model: e.model, Refused: []ort.Refusal{{Provider: e.provider, Reason: e.why}}}
}

// checkCapture returns an error for options that a captured graph cannot have.
func (s *Benchmark) checkCapture() error {
	switch {
	case !s.Captures:
		return nil
	case s.WithCopies:
		return session.UsageError("--graph-capture and --with-copies: a captured graph reads and writes memory of the device; nothing is copied in a run")
	case s.Concurrency > 1:
		return session.UsageError("--graph-capture and --concurrency: a captured graph has one memory for its values, so its runs follow each other")
	case s.Rate > 0:
		return session.UsageError("--graph-capture and --rate: measure the time of a replay without a rate")
	}
	return nil
}

// place returns where the nodes of a model run. With graph capture, it returns an error if nodes or
// values are where no graph can be captured. For this the model is loaded without the capture, which
// ONNX Runtime would refuse without naming a node.
func (s *Benchmark) place(ctx context.Context, env session.Env, m *graphops.Model, how runtime.Execution) (*flags.Working, error) {
	plain := how
	if s.Captures {
		plain.Providers = withoutCapture(how.Providers)
	}
	w, err := flags.Place(ctx, env, m, plain)
	if err != nil {
		return nil, err
	}
	if w.Placement == nil {
		w.Placement = &ort.Placement{}
	}
	if !s.Captures {
		return w, nil
	}
	// The providers that run no node are left out of the chain.
	w.How.Providers = slices.DeleteFunc(slices.Clone(how.Providers), func(p ort.Provider) bool {
		return !slices.ContainsFunc(w.How.Providers, func(o ort.Provider) bool { return o.Name == p.Name })
	})
	if why := unable(m, w.Facts().Provider, *w.Placement); why != "" {
		return nil, &captureError{m.Path(), w.Facts().Provider, why}
	}
	return w, nil
}

func withoutCapture(chain []ort.Provider) []ort.Provider {
	out := slices.Clone(chain)
	for i, p := range out {
		row, _ := ep.Find(p.Name)
		out[i].Options = map[string]string{}
		for key, value := range p.Options {
			if key != row.Graph.Option {
				out[i].Options[key] = value
			}
		}
	}
	return out
}

// unable says why a provider cannot capture the work of a model, or returns "". It names the first node or
// value that prevents it.
func unable(m *graphops.Model, provider string, p ort.Placement) string {
	row, _ := ep.Find(provider)
	if row.Graph.Option == "" {
		return fmt.Sprintf("it runs on %s, which captures none", provider)
	}
	if why := branches(m, p); why != "" {
		return why
	}
	for _, n := range p.Nodes {
		if n.Provider != provider && (row.Graph.Whole || len(p.Copies) > 0) {
			why := fmt.Sprintf("node %s runs on %s", nodeWords(n.Name, n.Op), n.Provider)
			if len(p.Copies) > 0 {
				why += fmt.Sprintf(", and %q is copied between it and the device in every run", p.Copies[0].Value)
			}
			return why + "; lathe run-model --where lists such nodes with the reason"
		}
	}
	if len(p.Copies) > 0 {
		return fmt.Sprintf("value %q is copied between the device and the host in every run", p.Copies[0].Value)
	}
	g := m.Graph()
	for _, v := range append(graphops.NamedTypes(g.FeedInputs()), graphops.NamedTypes(g.Outputs())...) {
		switch t := v.Type; {
		case t.Kind != graphops.TypeTensor:
			return fmt.Sprintf("%q is a %s, which cannot be in the memory of the device", v.Name, t)
		case t.Elem == tensor.String:
			return fmt.Sprintf("%q is a tensor of strings, which cannot be in the memory of the device", v.Name)
		}
	}
	return ""
}

// branches names the first node with a body. ONNX Runtime removes some of them when it loads a model,
// so its list of nodes counts if there is one.
func branches(m *graphops.Model, p ort.Placement) string {
	for _, n := range m.Graph().Nodes() {
		if len(n.Graphs()) == 0 {
			continue
		}
		if len(p.Nodes) == 0 || slices.ContainsFunc(p.Nodes, func(o ort.PlacedNode) bool { return o.Op == n.OpType() }) {
			return fmt.Sprintf("node %s decides in each run what is computed", nodeWords(n.Name(), n.OpType()))
		}
	}
	return ""
}

func nodeWords(name, op string) string {
	if name == "" {
		return op
	}
	return fmt.Sprintf("%q (%s)", name, op)
}

// byData are operators whose outputs have sizes that the elements of their inputs decide.
var byData = []string{"NonZero", "Compress", "Unique", "NonMaxSuppression"}

// checkSizes returns an error if a size is not fixed by those of the inputs.
func (s *Benchmark) checkSizes(ctx context.Context, t *Subject) error {
	if !s.Captures {
		return nil
	}
	if why := sizeByData(ctx, t.Model, t.feeds); why != "" {
		return &captureError{t.Path, t.Session.Facts().Provider, why}
	}
	return nil
}

// sizeByData names the first size that is not fixed by the sizes of the inputs, or returns "". The runtime
// judges a model that cannot be inferred.
func sizeByData(ctx context.Context, m *graphops.Model, feeds graphops.Feeds) string {
	e := graphops.Edit(m)
	for i, v := range e.Inputs {
		if fed, ok := feeds[v.Name()]; ok {
			e.Inputs[i] = graphops.NewValueInfo(v.Name(), fed.Type)
		}
	}
	sized := e.Model()
	types, err := shape.Infer(ctx, sized, shape.Options{Fresh: true})
	if err != nil {
		return ""
	}
	place := sized.Places()[0]
	x := place.Graph.Index()
	for _, n := range place.Graph.Nodes() {
		if !slices.Contains(byData, n.OpType()) {
			continue
		}
		for _, name := range n.Outputs() {
			v, ok := x.Value(name)
			if !ok || name == "" {
				continue
			}
			for axis, d := range types.Type(place, v).Shape {
				if !d.IsFixed() {
					return fmt.Sprintf("the elements of the inputs decide the size of axis %d of %q, an output of node %s; a captured graph has fixed sizes", axis, name, nodeWords(n.Name(), n.OpType()))
				}
			}
		}
	}
	return ""
}

// ofCapture says of the error of a first run that the run was captured. Without the capture it may work.
func (s *Benchmark) ofCapture(t *Subject, err error) error {
	if !s.Captures {
		return err
	}
	return t.captureFailed("the first run, which is captured,", err)
}

// captureFailed returns the error of a run as one of its capture, if the runtime reports it.
func (t *Subject) captureFailed(what string, err error) error {
	var refused *ort.Error
	if !errors.As(err, &refused) {
		return err
	}
	return &captureError{t.Path, t.Session.Facts().Provider, what + " fails: " + refused.Message}
}

// proveReplay compares the outputs of a replay with those of a run without capture. It is an error if
// nothing is replayed, or if the outputs differ.
func (t *Subject) proveReplay(ctx context.Context) error {
	l := t.Session.(runtime.Loaded)
	provider := l.Facts().Provider
	again := &replayed{loaded: l}
	r, err := compare.Compare(ctx, regular{l}, again, []inputs.Case{{Name: "the inputs", Feeds: t.feeds}}, compare.Options{Facts: compare.FactsOf(t.Model)}, nil)
	if err = cmp.Or(err, again.err); err != nil {
		return t.captureFailed("a replay", err)
	}
	if r.Verdict == compare.Fail {
		return &captureError{t.Path, provider, "a replay has another result than a run that is not captured: " + strings.TrimPrefix(r.Headline, "fail: ")}
	}
	row, _ := ep.Find(provider)
	t.graph = &bench.GraphCapture{RunsBefore: row.Graph.Before}
	for _, o := range r.Outputs {
		if o.MaxAbs != nil {
			t.graph.MaxAbs = max(t.graph.MaxAbs, *o.MaxAbs)
		}
	}
	return nil
}

// regular runs a model without a captured graph.
type regular struct{ loaded runtime.Loaded }

// Name implements compare.Executor.
func (regular) Name() string { return "a run without capture" }

// Run implements compare.Executor.
func (r regular) Run(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
	return runtime.RunWhole(ctx, r.loaded, in)
}

// replayed replays the captured graph of a model, on the inputs that are bound.
type replayed struct {
	loaded runtime.Loaded
	err    error // of the replay
}

// Name implements compare.Executor.
func (*replayed) Name() string { return "a replay" }

// Run implements compare.Executor.
func (r *replayed) Run(ctx context.Context, _ graphops.Feeds) (out []graphops.Got, err error) {
	var want []graphops.Want
	for _, o := range r.loaded.Outputs() {
		want = append(want, graphops.Want{Name: o.Name, Elements: true})
	}
	r.err = r.loaded.Replay(ctx, want, func(g graphops.Got) error {
		out = append(out, g)
		return nil
	})
	return out, r.err
}
