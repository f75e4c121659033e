package sides

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/session/torch"
)

// Eager is a PyTorch model as a side of a comparison. It uses the names of the ONNX model that was
// exported from it.
type Eager struct {
	bridge  *torch.Bridge
	Paths   map[string]string     // path in PyTorch for each input of the model
	Leaves  map[string]torch.Leaf // argument for each input of the model
	outputs []*graphops.ValueInfo // outputs of the model, in the order in which PyTorch returns them
}

var (
	_ compare.Precise = (*Eager)(nil)
	_ compare.ByCase  = (*Eager)(nil)
)

// Name implements compare.Executor.
func (*Eager) Name() string { return "PyTorch" }

// Word implements compare.Truth.
func (*Eager) Word() string { return "PyTorch" }

// Run implements compare.Executor.
func (e *Eager) Run(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
	return e.call(ctx, e.bridge.Run, in)
}

// RunCase implements compare.ByCase.
func (e *Eager) RunCase(ctx context.Context, one inputs.Case) ([]graphops.Got, error) {
	return e.call(ctx, func(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
		return e.bridge.RunIn(ctx, one.Name, in)
	}, one.Feeds)
}

// Precisely implements compare.Precise.
func (e *Eager) Precisely(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
	return e.call(ctx, e.bridge.Precisely, in)
}

// AtOnce runs all tokens in one run without a cache, for a model that takes one token with a cache.
func (e *Eager) AtOnce(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
	return e.call(ctx, e.bridge.AtOnce, in)
}

func (e *Eager) call(ctx context.Context, run func(context.Context, graphops.Feeds) ([]graphops.Got, error), in graphops.Feeds) ([]graphops.Got, error) {
	feeds := graphops.Feeds{}
	for name, v := range in {
		feeds[e.Paths[name]] = e.Leaves[name].Fed(v)
	}
	got, err := run(ctx, feeds)
	if err != nil {
		return nil, err
	}
	if len(got) != len(e.outputs) {
		return nil, fmt.Errorf("PyTorch returns %d tensors for these inputs, and %d for its example", len(got), len(e.outputs))
	}
	for i := range got {
		got[i].Name, got[i].Value = e.outputs[i].Name(), torch.AsReal(got[i].Value)
	}
	return got, nil
}

// EagerOf pairs the inputs and outputs of a model with those of the PyTorch model that it was
// exported from.
func EagerOf(b *torch.Bridge, m *graphops.Model) (*Eager, error) {
	e := &Eager{bridge: b, Paths: map[string]string{}, Leaves: map[string]torch.Leaf{}}
	of, d := m.Graph().FeedInputs(), b.Description
	paths := pairLeaves(of, d.Inputs)
	if paths == nil {
		return nil, fmt.Errorf("%s takes %s, the PyTorch model %s; they cannot be matched; --input-name sets names", m.Path(), quotedValues(of), QuotedLeaves(d.Inputs))
	}
	for i, v := range of {
		e.Paths[v.Name()], e.Leaves[v.Name()] = d.Inputs[paths[i]].Path, d.Inputs[paths[i]]
	}
	outputs := m.Graph().Outputs()
	if len(outputs) != len(d.Outputs) {
		return nil, fmt.Errorf("%s gives %s, the PyTorch model %s", m.Path(), quotedValues(outputs), QuotedLeaves(d.Outputs))
	}
	e.outputs = outputs
	return e, nil
}

// pairLeaves returns for each value the argument or result that it belongs to: the one of the same
// name, with dots replaced as the exporter does, or by order if there are equally many. It returns
// nil if neither works.
func pairLeaves(values []*graphops.ValueInfo, list []torch.Leaf) []int {
	byName := make([]int, len(values))
	for i, v := range values {
		byName[i] = slices.IndexFunc(list, func(l torch.Leaf) bool {
			return l.Path == v.Name() || strings.ReplaceAll(l.Path, ".", "_") == v.Name()
		})
	}
	if !slices.Contains(byName, -1) {
		return byName
	}
	if len(values) != len(list) {
		return nil
	}
	for i, v := range values {
		if !list[i].Fits(v.Type()) {
			return nil
		}
		byName[i] = i
	}
	return byName
}

func quotedValues(list []*graphops.ValueInfo) string {
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = v.Name()
	}
	return graphops.QuoteNames(names)
}

// QuotedLeaves lists the paths of arguments or results of a PyTorch model.
func QuotedLeaves(list []torch.Leaf) string {
	names := make([]string, len(list))
	for i, l := range list {
		names[i] = l.Path
	}
	return graphops.QuoteNames(names)
}

// pairTorch makes PyTorch run side a.
func (s *Comparison) pairTorch(ctx context.Context, env session.Env, p *Pairing, b *Executor) error {
	if err := b.Load(ctx); err != nil {
		return err
	}
	if s.Opened != nil {
		return s.pairEager(ctx, s.Opened, p, b)
	}
	temp, err := os.MkdirTemp("", "lathe-torch-")
	if err != nil {
		return err
	}
	remove := func() { _ = os.RemoveAll(temp) } // lies in the system's temporary folder
	c, err := flags.TorchChild(env, temp, b.how)
	if err != nil {
		remove()
		return err
	}
	target := flags.TorchTarget{Target: s.Torch}
	like, err := inputs.Generate(b.types.inputs, inputs.Options{Model: b.Model})
	if err != nil {
		remove()
		return err
	}
	bridge, err := target.Open(ctx, c, torch.Opening{Otherwise: like.Feeds})
	if err != nil {
		remove()
		return err
	}
	p.Close = func() {
		bridge.Close()
		remove()
		b.Close()
	}
	return s.pairEager(ctx, bridge, p, b)
}

func (s *Comparison) pairEager(ctx context.Context, bridge *torch.Bridge, p *Pairing, b *Executor) error {
	e, err := EagerOf(bridge, b.Model)
	if err != nil {
		return err
	}
	p.A = e
	d := bridge.Description
	p.Ran = func() Sides {
		return Sides{side{Kind: sideTorch, Version: d.Versions["torch"], Python: bridge.Python()}, b.Side}
	}
	if len(s.Only) > 0 {
		p.first = s.Only
		return nil
	}
	example, err := bridge.Example(ctx)
	if err != nil {
		return err
	}
	if p.findings, err = e.lost(ctx, example); err != nil {
		return err
	}
	one, err := e.CaseOfExample(example)
	if err != nil {
		return err
	}
	p.first = []inputs.Case{one}
	if s.Data == "" {
		p.first = append(p.first, e.resized(b.Model, one)...)
		p.first = append(p.first, e.beyond(b.Model, one, s.Beyond)...)
	}
	return nil
}

// CaseOfExample returns the case with which the model was exported.
func (e *Eager) CaseOfExample(by map[string]tensor.Tensor) (inputs.Case, error) {
	c := inputs.Case{Name: ExampleCase, Feeds: graphops.Feeds{}, Family: inputs.Seeds}
	for name, path := range e.Paths {
		t, ok := by[path]
		if !ok {
			return c, fmt.Errorf("there is no example of %q", path)
		}
		c.Feeds[name] = torch.AsReal(graphops.TensorValue(t))
		t = c.Feeds[name].Tensor
		c.Fed = append(c.Fed, inputs.Fed{Name: name, Type: t.DType.String(), Shape: graphops.FixedShape(t.Shape), Source: "example", What: "as in PyTorch", Why: "the example of the PyTorch model"})
	}
	slices.SortFunc(c.Fed, func(a, b inputs.Fed) int { return strings.Compare(a.Name, b.Name) })
	return c, nil
}
