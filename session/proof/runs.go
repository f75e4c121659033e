package proof

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
)

// runs shows whether a changed model runs at other sizes and returns outputs of the shapes that it
// declares.
type runs struct {
	Symbol string
	Sizes  []int64 // sizes at which it ran
	// Refused is a size at which it did not run although it runs at others, for example because a
	// table of positions is too short; nil if there is none.
	Refused *Difference
	// Difference is set if it ran at less than two sizes, or returned an output of another shape.
	Difference *Difference
}

// wantedSizes is at how many sizes the changed model must run.
const wantedSizes = 2

// runs runs the changed model with other sizes of a freed axis. It tries larger ones first. If they
// fail, as with a table that has a row for each position, it tries smaller ones.
func (p *Prover) runs(ctx context.Context, original, changed *graphops.Model, f Freed, sizes map[string]int64) (*runs, error) {
	in, err := p.feeds(original, original, sizes, 0)
	if err != nil {
		return nil, &unprovedError{err}
	}
	base := sizesIn(changed, in)
	r := &runs{Symbol: f.Symbol}
	for _, n := range otherSizes(f.Old) {
		all := maps.Clone(base)
		all[f.Symbol] = n
		d, err := p.runsAt(ctx, original, changed, all)
		if err != nil {
			return nil, err
		}
		switch {
		case d == nil:
			r.Sizes = append(r.Sizes, n)
		case d.Err == nil:
			d.Sizes = map[string]int64{f.Symbol: n}
			r.Difference = d
			return r, nil
		case r.Refused == nil:
			d.Sizes = map[string]int64{f.Symbol: n}
			r.Refused = d
		}
		if len(r.Sizes) == wantedSizes {
			return r, nil
		}
	}
	r.Difference, r.Refused = r.Refused, nil
	return r, nil
}

// otherSizes returns new sizes for an axis in the order to try.
func otherSizes(old int64) []int64 {
	var out []int64
	for _, n := range []int64{2 * old, 5 * old, old - 1, (old + 1) / 2, old / 3, 1} {
		if n > 0 && n != old && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// runsAt returns why the changed model does not run at sizes, or does not return the declared
// shapes. It returns nil if all is well.
func (p *Prover) runsAt(ctx context.Context, original, changed *graphops.Model, sizes map[string]int64) (*Difference, error) {
	in, err := p.feeds(changed, original, sizes, 0)
	if err != nil {
		return nil, &unprovedError{err}
	}
	wrong := map[string]*Difference{}
	says := outputsByName(changed)
	err = p.each(ctx, p.Runner, changed, in, outputsOf(changed), func(name string, v graphops.Value) { wrong[name] = declaredOf(says[name], sizes, v) })
	if err == nil {
		return firstOf(changed, wrong), nil
	}
	if end := ended(ctx, err); end != nil {
		return nil, end
	}
	return &Difference{Item: -1, Err: err}, nil
}

// outputsByName returns the outputs of a model by their names.
func outputsByName(m *graphops.Model) map[string]*graphops.ValueInfo {
	out := map[string]*graphops.ValueInfo{}
	for _, v := range m.Graph().Outputs() {
		out[v.Name()] = v
	}
	return out
}

// firstOf returns the difference of the first output that has one, or nil.
func firstOf(m *graphops.Model, of map[string]*Difference) *Difference {
	for _, v := range m.Graph().Outputs() {
		if d := of[v.Name()]; d != nil {
			return d
		}
	}
	return nil
}

// declared compares the shapes of outputs with the model's declarations.
func declared(m *graphops.Model, sizes map[string]int64, got map[string]graphops.Value) *Difference {
	of := map[string]*Difference{}
	for _, v := range m.Graph().Outputs() {
		if value, ok := got[v.Name()]; ok && of[v.Name()] == nil {
			of[v.Name()] = declaredOf(v, sizes, value)
		}
	}
	return firstOf(m, of)
}

// declaredOf compares the shape of one output with its declaration.
func declaredOf(v *graphops.ValueInfo, sizes map[string]int64, value graphops.Value) *Difference {
	says := v.Type()
	if !value.IsTensor() || says.Kind != graphops.TypeTensor || says.Shape == nil {
		return nil
	}
	is := value.Tensor.Shape
	wrong := len(is) != len(says.Shape)
	for axis := 0; axis < len(is) && !wrong; axis++ {
		n, known := evaluate(says.Shape[axis], sizes)
		wrong = known && n != is[axis]
	}
	if !wrong {
		return nil
	}
	return &Difference{
		Sizes: maps.Clone(sizes), Value: v.Name(), Item: -1,
		Reason: fmt.Sprintf("its shape is %s, but the model declares %s", graphops.FixedShape(is), says.Shape),
	}
}
