package proof

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"lathe/graphops"
	"lathe/graphops/perturb"
	"lathe/graphops/tensor"
	"lathe/session/compare"
)

// roundingSlack is how much more than the original by itself a change may move: what was
// seen of the original are a few ways to round of many, and the largest of a few is
// below the largest of all.
const roundingSlack = 5

// draws is how many times the original is rounded in another way at most.
const draws = 4

// ownGap is how far the original is from itself.
type ownGap struct {
	gap
	unsteady bool // already in another run of the same on the same
}

// explains reports whether rounding can be all that lies behind a gap. undecided is why such a
// gap shows nothing, "" where the gap is small enough to be held for rounding. An output that
// rounding moves below leastSNR is so much made by it that any fault could hide there.
func (o ownGap) explains(g gap, leastSNR float64) (is bool, undecided string) {
	switch {
	case g.otherType, g.otherShape && !o.otherShape, g.odd > roundingSlack*o.odd, !g.unequal.within(o.unequal):
		return false, ""
	case g.otherShape:
		return true, "rounding alone changes its shape"
	case g.exact:
		return true, "it differs where rounding alone changes the original's"
	case g.maxAbs > roundingSlack*o.maxAbs, g.rms > roundingSlack*o.rms:
		return false, ""
	case g.odd > 0:
		return true, "rounding alone makes numbers of it infinite or NaN"
	case o.snr < leastSNR:
		return true, fmt.Sprintf("rounding alone moves it by %.1g", o.maxAbs)
	}
	return true, ""
}

// leastSNR is the signal-to-noise ratio, in dB, that the original must have of itself, by the
// types that it computes in. One that quantizes turns some of its rounding into whole steps,
// which are as coarse as the coarsest type is.
func leastSNR(p *perturb.Model) float64 {
	switch {
	case p == nil:
		return compare.MinOwnSNR()
	case p.Quantizes:
		return compare.MinOwnSNR(tensor.BF16)
	}
	return compare.MinOwnSNR(p.Types...)
}

// widen takes in another way to round.
func (o *ownGap) widen(g gap) {
	o.bits = o.bits && g.bits
	o.maxAbs, o.rms = max(o.maxAbs, g.maxAbs), max(o.rms, g.rms)
	o.maxRel = max(o.maxRel, g.maxRel)
	o.odd = max(o.odd, g.odd)
	if g.snr != 0 && (o.snr == 0 || g.snr < o.snr) {
		o.snr = g.snr
	}
	o.otherShape = o.otherShape || g.otherShape
	o.unequal = o.unequal.with(g.unequal)
}

// rounding compares the original with itself on one of the inputs: as it runs again, and
// rounded in other ways, until one of them explains a gap of an output or enough were seen. Ways
// that do not run tell nothing.
//
// The original as the runtime optimizes it is none of these ways: an optimization that
// computes something else would be its own excuse.
func (r *reference) rounding(ctx context.Context, i int, name string, g gap) (ownGap, error) {
	c := &r.cases[i]
	if c.own == nil {
		own := map[string]ownGap{}
		for _, name := range r.names {
			own[name] = ownGap{gap: gap{bits: true}}
		}
		_, err := r.look(ctx, i, own, r.model, c.in, func(o *ownGap, g gap) {
			o.unsteady = g.difference != nil
			o.widen(g)
		})
		if err != nil {
			return ownGap{}, err
		}
		c.own = own
	}
	for ; c.drawn < draws && !c.own[name].unsteady; c.drawn++ {
		if is, _ := c.own[name].explains(g, r.leastSNR); is {
			break
		}
		if err := r.lookRounded(ctx, i, c.own, uint64(c.drawn)); err != nil {
			return ownGap{}, err
		}
	}
	return c.own[name], nil
}

// lookRounded takes in one other way to round: every operator's results and the inputs off by up
// to a unit in the last place or, where that copy of the model does not run, the inputs alone.
func (r *reference) lookRounded(ctx context.Context, i int, own map[string]ownGap, seed uint64) error {
	in, any := nudged(r.cases[i].in, seed)
	p, err := r.perturbedModel(ctx)
	if err != nil {
		return err
	}
	if p != nil {
		ran, err := r.look(ctx, i, own, p.Model, p.Feeds(in, seed), (*ownGap).widen)
		if ran || err != nil {
			return err
		}
		r.perturbed = nil
	}
	if any {
		_, err = r.look(ctx, i, own, r.model, in, (*ownGap).widen)
	}
	return err
}

// perturbedModel is the copy of the original that rounds differently in every run, nil where
// there is none.
func (r *reference) perturbedModel(ctx context.Context) (*perturb.Model, error) {
	if !r.perturbs {
		p, err := perturb.New(ctx, r.model)
		if end := ended(ctx, err); end != nil {
			return nil, end
		}
		r.perturbed, r.perturbs, r.leastSNR = p, true, leastSNR(p)
	}
	return r.perturbed, nil
}

// look runs the original or a copy of it, and compares its outputs with what the original gave.
func (r *reference) look(ctx context.Context, i int, own map[string]ownGap, m *graphops.Model, in graphops.Feeds, take func(o *ownGap, g gap)) (ran bool, err error) {
	seen := map[string]gap{}
	err = r.p.each(ctx, r.p.Runner, m, in, r.names, func(name string, v graphops.Value) { seen[name] = gapOf(r.cases[i].want[name], v) })
	if err != nil {
		return false, ended(ctx, err)
	}
	for name, g := range seen {
		o := own[name]
		take(&o, g)
		own[name] = o
	}
	return true, nil
}

// nudged are inputs whose floating-point numbers are off by one unit in the last place, up or
// down by chance. any is false where there are none.
func nudged(in graphops.Feeds, seed uint64) (out graphops.Feeds, any bool) {
	out = graphops.Feeds{}
	for name, v := range in {
		out[name] = v
		if !v.IsTensor() || v.Tensor.DType.Kind() != tensor.KindFloat {
			continue
		}
		if t, ok := nudge(v.Tensor, perturb.Unit(v.Tensor.DType), rand.New(rand.NewPCG(seed, uint64(len(name))))); ok {
			out[name], any = graphops.TensorValue(t), true
		}
	}
	return out, any
}

// nudge multiplies each number by 1+unit or 1-unit.
func nudge(t tensor.Tensor, unit float64, rng *rand.Rand) (tensor.Tensor, bool) {
	list, err := t.Float64s()
	if err != nil || len(list) == 0 {
		return t, false
	}
	for i, x := range list {
		list[i] = x * (1 + math.Copysign(unit, rng.Float64()-0.5))
	}
	out := tensor.Tensor{DType: t.DType, Shape: t.Shape, Data: make([]byte, len(t.Data))}
	if err := tensor.EncodeFloat64(out.Data, t.DType, list); err != nil {
		return t, false
	}
	return out, true
}
