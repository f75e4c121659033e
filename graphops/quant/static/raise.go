package static

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opset"
	"lathe/graphops/tensor"
)

// quantizable is the model in an opset that has QuantizeLinear. added tells whether
// attributes became constants.
func quantizable(ctx context.Context, m *graphops.Model) (result *graphops.Model, added bool, err error) {
	if from, ok := m.Opset(graphops.DefaultDomain); ok && from >= opsetQuantize {
		return m, false, nil
	}
	return opset.AtLeast(ctx, m, opsetEarly)
}

// raised is the model in the opset whose operators take the types that are asked for. It
// stays as it is where operators of domain com.microsoft take them too and a node does not
// mean the same in that opset.
func raised(ctx context.Context, m *graphops.Model, o Options, r *Report) (*graphops.Model, error) {
	to := o.opset()
	from, _ := m.Opset(graphops.DefaultDomain)
	if from < opsetFloat8 && o.isFloat8() {
		return raisedForFloat8(ctx, m, r)
	}
	if from < opsetWide && len(o.Overrides) > 1 && o.overridesAreWider() {
		r.depart(LaterOverrides)
	}
	if from >= to {
		return m, nil
	}
	later, added, err := opset.AtLeast(ctx, m, to)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		r.depart(OpsetKept)
		return m, nil
	}
	if added {
		r.depart(CarriedAttribute)
	}
	return later, nil
}

// opset is the first whose QuantizeLinear takes what is asked for, 0 where none need be
// raised to.
func (o Options) opset() int64 {
	if slices.ContainsFunc(o.types(), func(d tensor.DType) bool { return d.Bits() == 16 }) {
		return opsetWide
	}
	return 0
}

// overridesAreWider reports whether the types of overrides need other operators than those
// of the options.
func (o Options) overridesAreWider() bool {
	own := []tensor.DType{o.ActivationType, o.WeightType}
	return slices.ContainsFunc(o.Overrides.types(), func(d tensor.DType) bool {
		return d.Bits() != 8 && !slices.ContainsFunc(own, func(t tensor.DType) bool { return t.Bits() == d.Bits() })
	})
}

// types are all that values can have.
func (o Options) types() []tensor.DType {
	return append(o.Overrides.types(), o.ActivationType, o.WeightType)
}
