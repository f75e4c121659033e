package quant

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opset"
	"lathe/graphops/tensor"
)

// Draft is what lowering the precision would make of a model, as far as it can be told
// without reading a weight or running anything: all but the numbers.
type Draft struct {
	// Candidates are nodes that change, and those that could be expected to and do not,
	// in the order of the places and of the nodes in them.
	Candidates []Candidate
	// Elsewhere tells that candidates are nodes of another model: of this one simplified, or
	// with the bodies of functions in place of their calls. Most have a node of their name here.
	Elsewhere bool
	// Before and After are the sizes of the files, in bytes.
	Before, After int64
	// Unsized tells that After is made of the weights alone, and not of the nodes.
	Unsized bool
	// Supposed tells that After depends on ranges that are not known yet.
	Supposed bool
	// Nothing tells why no node changes, "" where one does.
	Nothing  string
	Warnings []string
}

// Candidate is a node of the model that a Draft is of.
type Candidate struct {
	Place *graphops.Place
	Index int // of the node in its place
	// Reason says what is in the way, to follow "node:"; "" of a node that changes.
	Reason string
	// Weights are the constants that it reads and that change, each as often as it is
	// changed in a way of its own. Several nodes can have the same one.
	Weights []*DraftWeight
}

// Node is the node.
func (c *Candidate) Node() *graphops.Node { return c.Place.Graph.Nodes()[c.Index] }

// DraftWeight is a constant, and how it changes.
type DraftWeight struct {
	Name   string
	Tensor *graphops.Tensor
	// Before and After are its sizes in bytes, with scales and zero points.
	Before, After int64
	// Rule says which integers it becomes, and Channels which elements share a scale.
	// A weight of another type of 16 bits has Narrowing in their place.
	Rule      tensor.AffineRule
	Channels  tensor.Channels
	Narrowing tensor.Narrowing
	// LeastWidth is how wide a range is at least, 0 for any.
	LeastWidth float32
}

// Type is what the weight becomes.
func (w *DraftWeight) Type() tensor.DType {
	if w.Narrowing.To != tensor.Undefined {
		return w.Narrowing.To
	}
	return w.Rule.Type
}

// Fidelity is how well a weight survives.
type Fidelity struct {
	tensor.CodeError
	// Low and High are the outermost numbers that there are codes for, of all channels.
	Low, High float64
}

// passes is how often Measure reads the weight, where its scales follow from its numbers.
func (w *DraftWeight) passes() int64 {
	if w.Rule.Type == tensor.F8E4M3FN {
		return 3
	}
	return 2
}

// Measure reads the weight to tell how well it survives: first to find the scales, which
// follow from its numbers.
func (w *DraftWeight) Measure(ctx context.Context, progress func(read int64)) (Fidelity, error) {
	data, err := w.Tensor.Data()
	if err != nil {
		return Fidelity{}, err
	}
	m := &meter{ctx: ctx, total: w.passes() * data.Len(), hear: func(done, _ int64) {
		if progress != nil {
			progress(done)
		}
	}}
	n := data.Len() / 4
	if w.Narrowing.To != tensor.Undefined {
		e, err := w.Narrowing.Error(m.reader(data.Reader()), n)
		most := float64(w.Narrowing.MaxFinite)
		return Fidelity{e, -most, most}, err
	}
	lo, hi, err := w.Rule.Codes()
	if err != nil {
		return Fidelity{}, err
	}
	by, err := w.affines(func() io.Reader { return m.reader(data.Reader()) }, n)
	if err != nil {
		return Fidelity{}, err
	}
	var f Fidelity
	for _, a := range by {
		scale, zero := float64(a.Scale), float64(a.Zero)
		f.Low, f.High = min(f.Low, scale*(lo-zero)), max(f.High, scale*(hi-zero))
	}
	f.CodeError, err = tensor.QuantizeError(m.reader(data.Reader()), n, w.Rule.Type, w.Channels, by)
	return f, err
}

// affines are the scales and zero points that follow from the numbers of the weight.
func (w *DraftWeight) affines(open func() io.Reader, n int64) ([]tensor.Affine, error) {
	if w.Rule.Type == tensor.F8E4M3FN {
		spreads, _, err := tensor.Spreads(open, n, w.Channels)
		by := make([]tensor.Affine, len(spreads))
		for i, s := range spreads {
			by[i], _ = s.Float8()
		}
		return by, err
	}
	ranges, err := tensor.Ranges(open(), n, w.Channels)
	by := make([]tensor.Affine, len(ranges))
	for i := 0; err == nil && i < len(ranges); i++ {
		r := ranges[i]
		if w.LeastWidth > 0 {
			r.Max = max(r.Max, r.Min+w.LeastWidth)
		}
		by[i], err = w.Rule.Affine(r)
	}
	return by, err
}

// DynamicDraft is what Dynamic would make of a model. Where it quantizes what functions
// consist of, candidates are nodes of the model with these in place of their calls. A quick
// one is Unsized, which takes half the time.
func DynamicDraft(ctx context.Context, m *graphops.Model, o DynamicOptions, quick bool) (*Draft, error) {
	inlined, calls := withoutCalls(m)
	raised, _, err := opset.AtLeast(ctx, inlined, opsetDynamicQuantizeLinear)
	if err != nil {
		return nil, err
	}
	d, err := newDynamic(ctx, raised.WithoutOverruled(), o)
	if err != nil {
		return nil, err
	}
	d.sketch = &sketch{forms: map[held][]*DraftWeight{}, nodes: map[*graphops.Place]map[int][]*DraftWeight{}}
	main, err := d.newScope(d.model.Places()[0], nil)
	if err != nil {
		return nil, err
	}
	out := &Draft{}
	if out.Before, err = graphops.SavedSize(m, graphops.SaveOptions{}); err != nil {
		return nil, err
	}
	out.After = out.Before
	switch err := d.choose(main); {
	case errors.Is(err, ErrNothing):
		out.Nothing = err.Error()
	case err != nil:
		return nil, err
	default:
		d.meter = &meter{ctx: ctx}
		main.markCaptured()
		if err := main.rewrite(); err != nil {
			return nil, err
		}
		if err := out.size(main, quick); err != nil {
			return nil, err
		}
	}
	out.Warnings = d.report.Warnings
	shown, aligned := inlined, alike(inlined, d.model)
	if !aligned { // operators that later versions have as several
		shown = d.model
	}
	out.Elsewhere, out.Candidates = calls > 0 || !aligned, d.candidates(shown)
	return out, ctx.Err()
}

// alike reports whether nodes of two models stand in the same places and positions.
func alike(a, b *graphops.Model) bool {
	return slices.EqualFunc(a.Places(), b.Places(), func(p, q *graphops.Place) bool { return len(p.Graph.Nodes()) == len(q.Graph.Nodes()) })
}

// size finds out how large what was rewritten becomes.
func (out *Draft) size(main *scope, quick bool) error {
	if quick {
		out.Unsized = true
		for _, forms := range main.sketch.forms {
			out.After -= forms[0].Before
			for _, w := range forms {
				out.After += w.After
			}
		}
		return main.ctx.Err()
	}
	result, err := main.finish(main)
	if err != nil {
		return err
	}
	out.After, err = graphops.SavedSize(result, graphops.SaveOptions{})
	return err
}

// sketch collects what a Draft tells of weights, which are not read then.
type sketch struct {
	forms map[held][]*DraftWeight
	nodes map[*graphops.Place]map[int][]*DraftWeight
}

// held is a constant by the scope that it is defined in: what a node holds has no
// identity of its own.
type held struct {
	owner *scope
	name  string
}

// constant notes a constant that would be quantized.
func (k *sketch) constant(s *scope, name string, t *graphops.Tensor, before, after int64, r recipe) {
	at := held{s, name}
	k.forms[at] = append(k.forms[at], &DraftWeight{Name: name, Tensor: t, Before: before, After: after, Rule: r.rule, Channels: r.channels})
}

// node notes the weights of a node that would be quantized: the newest form of those that
// it has quantized, and the first one of those that others have.
func (k *sketch) node(s *scope, weights []weight) {
	var list []*DraftWeight
	for _, w := range weights {
		forms := k.forms[held{s.owner(w.name), w.name}]
		switch {
		case len(forms) == 0:
		case w.after > 0:
			list = append(list, forms[len(forms)-1])
		default:
			list = append(list, forms[0])
		}
	}
	if k.nodes[s.place] == nil {
		k.nodes[s.place] = map[int][]*DraftWeight{}
	}
	k.nodes[s.place][s.at] = list
}

// candidates are the nodes of the model m that were decided about.
func (d *dynamic) candidates(m *graphops.Model) []Candidate {
	scopes := map[*graphops.Place]*scope{}
	for _, s := range d.scopes {
		scopes[s.place] = s
	}
	var out []Candidate
	for id, p := range d.model.Places() {
		at := m.Places()[id]
		s := scopes[p]
		if s == nil || s.choices == nil {
			out = append(out, d.outside(at)...)
			continue
		}
		for i, c := range s.choices {
			weights, changes := d.sketch.nodes[p][i]
			switch {
			case changes:
				out = append(out, Candidate{Place: at, Index: i, Weights: weights})
			case c.said:
				out = append(out, Candidate{Place: at, Index: i, Reason: c.reason})
			}
		}
	}
	return out
}

// outside are the nodes of a place that is left as it is.
func (d *dynamic) outside(p *graphops.Place) []Candidate {
	reason := "is in a body; --subgraphs quantizes bodies too"
	if p.Function != nil {
		reason = fmt.Sprintf("is in function %q; functions are not quantized", p.Function.Key().Name)
	}
	var out []Candidate
	for i, n := range p.Graph.Nodes() {
		if expectedOutside(n) {
			out = append(out, Candidate{Place: p, Index: i, Reason: reason})
		}
	}
	return out
}

// affines are scales in the place of those that only a reader of the weight knows.
func (k *sketch) affines(c tensor.Channels) []tensor.Affine { return make([]tensor.Affine, c.Count) }
