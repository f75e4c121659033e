package proof

import (
	"context"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Near is what a comparison up to rounding showed. Integers, bools and texts must be
// equal, and so must types, shapes and the structure of sequences, maps and optionals.
//
// Floating-point numbers are near where each differs by no more than a few units in the
// last place of |a|+scale, in the coarsest type that the original computes in. The scale is
// the magnitude that numbers of the output usually have, since a sum that cancels is as
// wrong as its terms are; an absolute tolerance would pass anything of an output of small
// numbers.
//
// What is farther apart can still be rounding: a deep model adds up that of many layers,
// one that quantizes turns a little of it into a whole step, and equal scores change
// places. So the original is compared with itself, as the runtime optimizes it and on
// inputs off by one unit in the last place. What that moves, the change may move: see
// roundingSlack. A fixed tolerance that deep models keep would pass a weight that is off by
// a thousandth in others.
type Near struct {
	Sizes map[string]int64
	Seeds int // inputs that were tried
	// Slow says that the original took longer than Prover.Patience for the one input that
	// was tried.
	Slow bool
	// Outputs are all of the original's, in its order.
	Outputs []Distance
	// Difference is the first that rounding does not explain; nil where there is none.
	Difference *Difference
}

// Distance is how far an output of the changed model is from the original's, over all
// inputs that were tried.
type Distance struct {
	Output string
	// MaxAbs is the largest difference of two elements, MaxRel the largest in relation to
	// the original's, or to its scale where that is larger; of finite elements.
	MaxAbs, MaxRel float64
	BitsEqual      bool
	// Rounding is how far the original is from itself, rounded otherwise, of an output
	// that is near for that alone; nil where nobody had to ask.
	Rounding *Rounding
	// Unsteady says that the original gives something else in each run, as of random
	// numbers: the output is not compared.
	Unsteady bool
	// Silent is what all elements are on all inputs, as "NaN": then that both give the
	// same shows little. "" where they differ, and of a model without inputs, of which
	// there is nothing else to see.
	Silent string
	// Faint says that all inputs give nearly the same: a difference that is as small can be
	// the fault of anything that the output is to tell of its inputs.
	Faint bool
}

// Rounding is what another way to round changes in an output of the original.
type Rounding struct {
	MaxAbs   float64
	Elements int64 // that are outside of the tolerance
}

// Compared are the outputs that were compared and shown to be near.
func (n *Near) Compared() []string {
	return n.outputs(func(d Distance) bool { return !d.Unsteady && d.Silent == "" })
}

func (n *Near) outputs(is func(Distance) bool) []string {
	var names []string
	for _, d := range n.Outputs {
		if is(d) {
			names = append(names, d.Output)
		}
	}
	return names
}

// BitsEqual reports whether all outputs were compared and have equal bits.
func (n *Near) BitsEqual() bool {
	return n.Difference == nil && !slices.ContainsFunc(n.Outputs, func(d Distance) bool { return !d.BitsEqual || d.Unsteady })
}

// NearAt compares all outputs of two models on the original's inputs, at sizes of its
// symbols that Settle completes. A changed model that cannot be fed as the original can,
// that the runtime refuses or that ends its process, differs. An original that does not
// run, or of which no output is the same in two runs, is an *UnprovedError.
func (p *Prover) NearAt(ctx context.Context, original, changed *graphops.Model, sizes map[string]int64) (*Near, error) {
	r, err := p.reference(ctx, original, sizes)
	if err != nil {
		return nil, err
	}
	return r.near(ctx, changed)
}

// near compares a model with what the original gives.
func (r *reference) near(ctx context.Context, changed *graphops.Model) (*Near, error) {
	n := &Near{Sizes: maps.Clone(r.sizes), Seeds: len(r.cases), Slow: r.slow}
	for _, name := range r.names {
		n.Outputs = append(n.Outputs, Distance{Output: name, BitsEqual: true, Silent: r.silent[name], Faint: r.faint[name]})
	}
	if n.Difference = otherInterface(r.model, changed); n.Difference != nil {
		return n, nil
	}
	for i := range r.cases {
		gaps, d, err := r.gaps(ctx, changed, i)
		if err != nil {
			return nil, err
		}
		if d == nil {
			d, err = r.judge(ctx, i, gaps, n)
		}
		if d != nil || err != nil {
			n.Difference = d
			return n, err
		}
	}
	return n, r.steadyEnough(n)
}

// gaps runs a changed model on one of the inputs. It tells how far each output is from the
// original's, or why that is not even a question.
func (r *reference) gaps(ctx context.Context, changed *graphops.Model, i int) (map[string]gap, *Difference, error) {
	c := r.cases[i]
	sizes := sizesIn(changed, c.in)
	says := map[string]*graphops.ValueInfo{}
	for _, v := range changed.Graph().Outputs() {
		says[v.Name()] = v
	}
	out := map[string]gap{}
	var wrong *Difference
	err := r.p.each(ctx, r.p.Runner, changed, c.in, r.names, func(name string, v graphops.Value) {
		out[name] = r.gap(c.want[name], v)
		if d := declaredOf(says[name], sizes, v); d != nil && wrong == nil && c.declared[name] {
			wrong = d
		}
	})
	if err == nil {
		return out, wrong, nil
	}
	if end := ended(ctx, err); end != nil {
		return nil, nil, end
	}
	return nil, &Difference{Sizes: maps.Clone(r.sizes), Item: -1, Err: err}, nil
}

// judge takes the gaps of one of the inputs in. It gives the first difference that rounding
// does not explain.
func (r *reference) judge(ctx context.Context, i int, gaps map[string]gap, n *Near) (*Difference, error) {
	for at, name := range r.names {
		g, d := gaps[name], &n.Outputs[at]
		if g.difference != nil {
			own, err := r.rounding(ctx, i)
			if err != nil {
				return nil, err
			}
			if own[name].unsteady {
				*d = Distance{Output: name, Unsteady: true}
			}
			if !d.Unsteady && !own[name].explains(g) {
				g.difference.Value, g.difference.Item, g.difference.Sizes = name, -1, maps.Clone(r.sizes)
				d.add(g)
				return g.difference, nil
			}
			d.explained(own[name])
		}
		if !d.Unsteady {
			d.add(g)
		}
	}
	return nil, nil
}

func (d *Distance) add(g gap) {
	d.BitsEqual = d.BitsEqual && g.bits
	d.MaxAbs, d.MaxRel = max(d.MaxAbs, g.maxAbs), max(d.MaxRel, g.maxRel)
}

func (d *Distance) explained(own ownGap) {
	if d.Unsteady {
		return
	}
	if d.Rounding == nil {
		d.Rounding = &Rounding{}
	}
	d.Rounding.MaxAbs = max(d.Rounding.MaxAbs, own.maxAbs)
	d.Rounding.Elements = max(d.Rounding.Elements, own.beyond)
}

// precisionOf is the coarsest floating-point type in which an original computes, as far as
// its inputs and stored tensors show: one of float16 may have outputs of float32.
func precisionOf(m *graphops.Model) []tensor.DType {
	var found []tensor.DType
	add := func(d tensor.DType) {
		if d.Kind() == tensor.KindFloat && d.Bits() >= 16 && !slices.Contains(found, d) {
			found = append(found, d)
		}
	}
	for _, t := range graphops.NamedTypes(m.Graph().FeedInputs()) {
		if t.Type.Kind == graphops.TypeTensor {
			add(t.Type.Elem)
		}
	}
	for t := range m.Tensors() {
		add(t.DType())
	}
	return found
}
