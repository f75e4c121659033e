package proof

import (
	"context"
	"math"
	"math/rand/v2"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// roundingSlack is how much more than the original by itself a change may move: what was
// seen of the original are a few ways to round of many, and the largest of a few is
// below the largest of all. An operator that does the work of twenty, as attention, rounds
// at other places than any way that was seen: of a BERT of four layers it moved the
// outputs by four times what those did.
const roundingSlack = 10

// nudges is on how many inputs that are off by one unit in the last place the original is
// run.
const nudges = 2

// ownGap is how far the original is from itself.
type ownGap struct {
	gap
	unsteady bool // already in another run of the same on the same
}

// explains reports whether rounding can be all that lies behind a gap.
func (o ownGap) explains(g gap) bool {
	switch {
	case g.otherType:
		return false
	case g.otherShape:
		return o.otherShape
	case g.odd > roundingSlack*o.odd || g.beyond > 0 && o.bits:
		return false
	case g.exact:
		return g.beyond <= roundingSlack*o.beyond
	}
	return g.maxAbs <= roundingSlack*o.maxAbs && g.rms <= roundingSlack*o.rms
}

// widen takes in another way to round.
func (o *ownGap) widen(g gap) {
	o.bits = o.bits && g.bits
	o.maxAbs, o.rms = max(o.maxAbs, g.maxAbs), max(o.rms, g.rms)
	o.beyond, o.odd = max(o.beyond, g.beyond), max(o.odd, g.odd)
	o.otherShape = o.otherShape || g.otherShape
}

// rounding compares the original with itself on one of the inputs: as it runs again, as
// the runtime optimizes it, and on inputs that are off by a unit in the last place. Ways
// that do not run tell nothing.
func (r *reference) rounding(ctx context.Context, i int) (map[string]ownGap, error) {
	c := &r.cases[i]
	if c.own != nil {
		return c.own, nil
	}
	own := map[string]ownGap{}
	look := func(on graphops.Runner, in graphops.Feeds, take func(o *ownGap, g gap)) error {
		seen := map[string]gap{}
		err := r.p.each(ctx, on, r.model, in, r.names, func(name string, v graphops.Value) { seen[name] = r.gap(c.want[name], v) })
		if err != nil {
			return ended(ctx, err)
		}
		for name, g := range seen {
			o := own[name]
			take(&o, g)
			own[name] = o
		}
		return nil
	}
	for _, name := range r.names {
		own[name] = ownGap{gap: gap{bits: true}}
	}
	err := look(r.p.Runner, c.in, func(o *ownGap, g gap) {
		o.unsteady = g.difference != nil
		o.widen(g)
	})
	if err == nil && r.p.Optimized != nil {
		err = look(r.p.Optimized, c.in, (*ownGap).widen)
	}
	for n := 0; n < nudges && err == nil; n++ {
		in, any := r.nudged(c.in, uint64(n))
		if !any {
			break
		}
		err = look(r.p.Runner, in, (*ownGap).widen)
	}
	if err != nil {
		return nil, err
	}
	c.own = own
	return own, nil
}

// nudged are inputs whose floating-point numbers are off by one unit in the last place of
// the coarsest type that the original computes in, up or down by chance. any is false
// where there are none.
func (r *reference) nudged(in graphops.Feeds, seed uint64) (out graphops.Feeds, any bool) {
	out = graphops.Feeds{}
	for name, v := range in {
		out[name] = v
		if !v.IsTensor() || v.Tensor.DType.Kind() != tensor.KindFloat {
			continue
		}
		unit := units[v.Tensor.DType]
		for _, d := range r.types {
			unit = max(unit, units[d])
		}
		if t, ok := nudge(v.Tensor, unit, rand.New(rand.NewPCG(seed, uint64(len(name))))); ok {
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

// units are the distances from 1 to the next number.
var units = map[tensor.DType]float64{tensor.F64: 0x1p-52, tensor.F32: 0x1p-23, tensor.F16: 0x1p-10, tensor.BF16: 0x1p-7}
