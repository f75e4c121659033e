package proof

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"lathe/graphops"
)

// Near is the result of a comparison up to rounding. Integers, bools and texts must be equal, as
// well as types, shapes and the structure of sequences, maps and optionals.
//
// Floating-point numbers are near if each differs by at most a few units in the last place of
// |a|+scale, in the output's type. The scale is the usual magnitude of the output's numbers. It is
// needed because a sum whose terms cancel has an error as large as its terms. A fixed absolute
// tolerance would accept anything if the output has small numbers.
//
// A larger difference can still be due to rounding. A deep model accumulates the rounding of many
// layers, and a model that quantizes can turn a small difference into a whole step. Therefore the
// original is compared with itself while the result of every operator is changed by up to one unit
// in the last place. A change of the model may move the outputs as far as that does: see
// roundingSlack. The original always runs without optimizations of the runtime, since those may be
// wrong in the same way as the change.
//
// If rounding decides the answer, as for the order of equal scores, a difference that rounding
// explains proves nothing. The output is then undecided.
type Near struct {
	// Tried are the sizes of the symbols in each of the inputs tried.
	Tried []map[string]int64
	// Slow is set if the original took longer than Prover.Patience for one input. Then only that
	// input was tried.
	Slow bool
	// Large is set if further inputs were left out, because they would exceed Prover.MaxBytes
	// together with the original's results.
	Large bool
	// Outputs are all outputs of the original, in its order.
	Outputs []Distance
	// Difference is the first difference that rounding does not explain, or nil.
	Difference *Difference
}

// Distance is how far an output of the changed model is from the original's, over all inputs tried.
type Distance struct {
	Output string
	// MaxAbs is the largest difference of two finite elements. MaxRel is the largest difference
	// relative to the original's element, or to the scale if that is larger.
	MaxAbs, MaxRel float64
	BitsEqual      bool
	// Rounding is how far the original is from itself with other rounding. It is set only if the
	// output is near for that reason; it is 0 if the first tolerance was enough.
	Rounding float64
	// Undecided is why nothing is shown about an output although rounding explains its difference;
	// it is empty for other outputs.
	Undecided string
	// Unsteady is set if the original gives different results in each run, for example random
	// numbers. Then the output is not compared.
	Unsteady bool
	// Silent is why equal outputs show little, for example because every element is NaN for all
	// inputs; it is empty otherwise.
	Silent string
	// Faint is set if all inputs give nearly the same output. A small difference could then hide a
	// fault in everything that depends on the inputs.
	Faint bool
}

// Shown reports whether the output was compared, is near, and is not too uniform to show anything.
func (d Distance) Shown() bool { return !d.Unsteady && d.Silent == "" && d.Undecided == "" }

// Compared returns the outputs that were shown to be near.
func (n *Near) Compared() []string { return n.outputs(Distance.Shown) }

// Proved reports whether the change is proved: at least one output was shown to be near, and no
// other output is undecided.
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

// NearAt compares all outputs of two models on the original's inputs. Settle completes the sizes of
// symbols. A changed model differs if it cannot be fed like the original, if the runtime refuses
// it, or if it ends the runtime's process. IsUnproved holds for the error if the original does not
// run, or if none of its outputs is the same in two runs.
func (p *Prover) NearAt(ctx context.Context, original, changed *graphops.Model, sizes map[string]int64) (*Near, error) {
	r, err := p.reference(ctx, original, sizes)
	if err != nil {
		return nil, err
	}
	return r.near(ctx, changed)
}

// near compares a model with the results of the original.
func (r *reference) near(ctx context.Context, changed *graphops.Model) (*Near, error) {
	n := &Near{Slow: r.slow, Large: r.large}
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

// gaps runs a changed model on one of the inputs. It returns how far each output is from the
// original's, or a difference if the outputs cannot be compared.
func (r *reference) gaps(ctx context.Context, changed *graphops.Model, i int) (map[string]gap, *Difference, error) {
	c := r.cases[i]
	sizes := sizesIn(changed, c.in)
	says := outputsByName(changed)
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

// judge evaluates the gaps for one of the inputs. It returns the first difference that rounding
// does not explain.
func (r *reference) judge(ctx context.Context, i int, gaps map[string]gap, n *Near) (*Difference, error) {
	for at, name := range r.names {
		g, d := gaps[name], &n.Outputs[at]
		switch {
		case r.facts[name].Drawn(r.cases[i].in): // two runs can be equal by chance
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
