package proof

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"lathe/graphops"
)

// Near is what a comparison up to rounding showed. Integers, bools and texts must be
// equal, and so must types, shapes and the structure of sequences, maps and optionals.
//
// Floating-point numbers are near where each differs by no more than a few units in the
// last place of |a|+scale, in the output's type. The scale is
// the magnitude that numbers of the output usually have, since a sum that cancels is as
// wrong as its terms are; an absolute tolerance would pass anything of an output of small
// numbers.
//
// What is farther apart can still be rounding: a deep model adds up that of many layers,
// and one that quantizes turns a little of it into a whole step. So the original is compared
// with itself, with the result of every operator off by up to a unit in the last place. What
// that moves, the change may move: see roundingSlack. The yardstick is always the original as it
// stands, without optimizations of the runtime, which may be wrong in the same way as the change.
//
// Where rounding decides the answer, as the order of equal scores, a difference that rounding
// explains is no proof of anything: the output is undecided.
type Near struct {
	// Tried are the sizes of the symbols in each of the inputs that were tried.
	Tried []map[string]int64
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
	// Rounding is how far the original is from itself, rounded otherwise, of an output that is
	// near for that alone; 0 where the first tolerance was enough.
	Rounding float64
	// Undecided is why nothing is shown of an output that differs no more than rounding explains,
	// "" of others.
	Undecided string
	// Unsteady says that the original gives something else in each run, as of random
	// numbers: the output is not compared.
	Unsteady bool
	// Silent is why it shows little that both give the same, as that every element is NaN on all
	// inputs; "" where it shows something.
	Silent string
	// Faint says that all inputs give nearly the same: a difference that is as small can be
	// the fault of anything that the output is to tell of its inputs.
	Faint bool
}

// Shown reports whether the output was compared, is near, and is one of which that tells something.
func (d Distance) Shown() bool { return !d.Unsteady && d.Silent == "" && d.Undecided == "" }

// Compared are the outputs that were shown to be near.
func (n *Near) Compared() []string { return n.outputs(Distance.Shown) }

// Proved reports whether the change is proved: an output was shown to be near, and of no other it
// is open whether it is.
func (n *Near) Proved() bool {
	return n.Difference == nil && len(n.Compared()) > 0 && len(n.outputs(func(d Distance) bool { return d.Undecided != "" })) == 0
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
	n := &Near{Slow: r.slow}
	for _, c := range r.cases {
		n.Tried = append(n.Tried, maps.Clone(c.sizes))
	}
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
		out[name] = gapOf(c.want[name], v)
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
	return nil, &Difference{Sizes: maps.Clone(c.sizes), Item: -1, Err: err}, nil
}

// judge takes in the gaps of one of the inputs. It returns the first difference that rounding
// does not explain.
func (r *reference) judge(ctx context.Context, i int, gaps map[string]gap, n *Near) (*Difference, error) {
	for at, name := range r.names {
		g, d := gaps[name], &n.Outputs[at]
		switch {
		case r.facts[name].Drawn(r.cases[i].in): // which can be the same twice by chance
			*d = Distance{Output: name, Unsteady: true}
			continue
		case g.difference == nil:
			d.add(g)
			continue
		}
		own, err := r.rounding(ctx, i, name, g)
		if err != nil {
			return nil, err
		}
		is, undecided := own.explains(g, r.leastSNR)
		switch {
		case own.unsteady || d.Unsteady:
			*d = Distance{Output: name, Unsteady: true}
		case !is:
			g.difference.Value, g.difference.Item, g.difference.Sizes = name, -1, maps.Clone(r.cases[i].sizes)
			d.add(g)
			return g.difference, nil
		default:
			d.add(g)
			d.Rounding = max(d.Rounding, own.maxAbs)
			d.Undecided = cmp.Or(d.Undecided, undecided)
		}
	}
	return nil, nil
}

func (d *Distance) add(g gap) {
	d.BitsEqual = d.BitsEqual && g.bits
	d.MaxAbs, d.MaxRel = max(d.MaxAbs, g.maxAbs), max(d.MaxRel, g.maxRel)
}
