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

// roundingSlack limits how much a changed model may differ from the original. It may differ by this
// factor times as much as the original differs from itself when it is rounded differently. The
// factor is needed because only a few ways of rounding are tried, and others can have a larger
// effect.
const roundingSlack = 5

// draws is the maximum number of other ways of rounding that are tried.
const draws = 4

// ownGap is how much the original differs from itself when it is rounded differently or run again.
type ownGap struct {
	gap
	unsteady bool // another run on the same inputs already differs
}

// explains reports whether a gap can be entirely due to rounding. undecided is why such a gap still
// shows nothing; it is empty if the gap is small enough. If the signal-to-noise ratio of the
// original's own rounding is below leastSNR, rounding dominates the output and could hide any
// fault.
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

// leastSNR returns the smallest signal-to-noise ratio, in dB, between the original and the original
// with other rounding for which a comparison is meaningful. It depends on the types that the model
// computes in. In a model that quantizes, rounding can change a result by a whole quantization
// step, so the limit for the coarsest type is used.
func leastSNR(p *perturb.Model) float64 {
	switch {
	case p == nil:
		return compare.MinOwnSNR()
	case p.Quantizes:
		return compare.MinOwnSNR(tensor.BF16)
	}
	return compare.MinOwnSNR(p.Types...)
}

// widen extends the gap so that it also covers a gap that another way of rounding has caused.
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

// rounding compares the original with itself on one of the inputs: in a second run and with other
// ways of rounding, until one of them explains the gap of an output or enough were tried. Ways that
// do not run are ignored.
//
// The original as optimized by the runtime is not one of these ways, because a wrong optimization
// would then excuse itself.
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

// lookRounded tries one other way of rounding. It changes the results of all operators and the
// inputs by up to one unit in the last place. If that copy of the model does not run, it changes
// only the inputs.
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

// perturbedModel returns the copy of the original that rounds differently in every run, or nil if
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

// look runs the original or a copy of it and compares its outputs with the original's first
// results.
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

// nudged returns inputs whose floating-point numbers are changed by one unit in the last place, up
// or down at random. any is false if there are no such numbers.
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
