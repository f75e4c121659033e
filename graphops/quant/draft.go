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

// Draft describes what quantizing, or converting to 16 bits, would do to a model, as far as this
// can be determined without reading weights or running anything. The numbers in the weights are
// unknown.
type Draft struct {
	// Candidates are the nodes that change, and those that could be expected to change but do
	// not, in the order of the places and of the nodes in them.
	Candidates []Candidate
	// Elsewhere reports that the candidates are nodes of a modified model: this one simplified,
	// or with inlined functions. Most of them have a node of the same name in this model.
	Elsewhere bool
	// Before and After are the file sizes in bytes.
	Before, After int64
	// Unsized reports that After accounts for weights only, not for nodes.
	Unsized bool
	// Supposed reports that After depends on ranges that are not known yet.
	Supposed bool
	// Nothing says why no node changes, or is "" if one does.
	Nothing  string
	Warnings []string
}

// Candidate is a node that a Draft describes.
type Candidate struct {
	Place *graphops.Place
	Index int // of the node in its place
	// Reason says why the node does not change, as text to follow "node:"; "" if it changes.
	Reason string
	// Weights are the constants of the node that change, once for each distinct way in which
	// they do. Several nodes can share one.
	Weights []*DraftWeight
}

// Node returns the node.
func (c *Candidate) Node() *graphops.Node { return c.Place.Graph.Nodes()[c.Index] }

// DraftWeight is a constant, and how it changes.
type DraftWeight struct {
	Name   string
	Tensor *graphops.Tensor
	// Before and After are its sizes in bytes, including scales and zero points.
	Before, After int64
	// Rule and Channels say which integers it becomes and which elements share a scale. If the
	// weight becomes another 16-bit type, Narrowing is set instead.
	Rule      tensor.AffineRule
	Channels  tensor.Channels
	Narrowing tensor.Narrowing
	// LeastWidth is the minimum width of a range; 0 means no minimum.
	LeastWidth float32
	// Blocks is set instead of Rule if the numbers are quantized in blocks.
	Blocks Blocks
}

// Blocks is a weight that is quantized in blocks of some elements, each with its own scale.
type Blocks interface {
	// Type returns the type of the integers.
	Type() tensor.DType
	// Measure reads the weight to determine how well its numbers are preserved.
	Measure(ctx context.Context, progress func(read int64)) (Fidelity, error)
}

// Type returns the element type that the weight will have.
func (w *DraftWeight) Type() tensor.DType {
	switch {
	case w.Blocks != nil:
		return w.Blocks.Type()
	case w.Narrowing.To != tensor.Undefined:
		return w.Narrowing.To
	}
	return w.Rule.Type
}

// Fidelity describes how well the numbers of a weight are preserved.
type Fidelity struct {
	tensor.CodeError
	// Low and High are the smallest and largest number that can be represented, over all
	// channels.
	Low, High float64
}

// passes returns how often Measure reads the weight if its scales follow from its numbers.
func (w *DraftWeight) passes() int64 {
	if w.Rule.Type == tensor.F8E4M3FN {
		return 3
	}
	return 2
}

// Measure reads the weight to determine how well its numbers are preserved. If the scales follow
// from the numbers, it first reads the weight to find them.
func (w *DraftWeight) Measure(ctx context.Context, progress func(read int64)) (Fidelity, error) {
	if w.Blocks != nil {
		return w.Blocks.Measure(ctx, progress)
	}
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

// affines returns the scales and zero points that follow from the numbers of the weight.
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

// DynamicDraft returns what Dynamic would do to a model. If Dynamic would quantize nodes in
// functions, the candidates are nodes of the model with these functions inlined. quick skips the
// size of the nodes and sets Unsized, which takes half the time.
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
	shown, aligned := inlined, SameNodes(inlined, d.model)
	if !aligned { // the conversion replaced a node by several nodes
		shown = d.model
	}
	out.Elsewhere, out.Candidates = calls > 0 || !aligned, d.candidates(shown)
	return out, ctx.Err()
}

// SameNodes reports whether two models have equally many nodes in each place, so that positions of
// nodes agree.
func SameNodes(a, b *graphops.Model) bool {
	return slices.EqualFunc(a.Places(), b.Places(), func(p, q *graphops.Place) bool { return len(p.Graph.Nodes()) == len(q.Graph.Nodes()) })
}

// size determines the size of the rewritten model.
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

// sketch collects what a Draft says about weights, without reading them.
type sketch struct {
	forms map[held][]*DraftWeight
	nodes map[*graphops.Place]map[int][]*DraftWeight
}

// held identifies a constant by its name and the scope that defines it. The tensor cannot be the
// key, because a Constant node returns a new tensor object each time it is decoded.
type held struct {
	owner *scope
	name  string
}

// constant records a constant that would be quantized.
func (k *sketch) constant(s *scope, name string, t *graphops.Tensor, before, after int64, r recipe) {
	at := held{s, name}
	k.forms[at] = append(k.forms[at], &DraftWeight{Name: name, Tensor: t, Before: before, After: after, Rule: r.rule, Channels: r.channels})
}

// node records the weights of a node that would be quantized. If this node is the first to need a
// weight, its latest form is recorded; if an earlier node already needed it, its first form.
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

// candidates returns the nodes of the model m that were considered.
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

// outside returns the candidates in a place that is left unchanged.
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

// affines returns placeholder scales, because the real ones need the numbers of the weight.
func (k *sketch) affines(c tensor.Channels) []tensor.Affine { return make([]tensor.Affine, c.Count) }
