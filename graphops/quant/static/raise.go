package static

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opset"
	"lathe/graphops/tensor"
)

// quantizable returns the model in an opset that has QuantizeLinear. added reports whether
// attributes became constants.
func quantizable(ctx context.Context, m *graphops.Model) (result *graphops.Model, added bool, err error) {
	if from, ok := m.Opset(graphops.DefaultDomain); ok && from >= opsetQuantize {
		return m, false, nil
	}
	return opset.AtLeast(ctx, m, opsetEarly)
}

// raised returns the model in an opset whose operators support the requested types. If a node would
// have another meaning in that opset, the model stays as it is, and operators of domain
// com.microsoft are used.
func raised(ctx context.Context, m *graphops.Model, o Options, r *Report) (*graphops.Model, error) {
	to := o.opset()
	from, _ := m.Opset(graphops.DefaultDomain)
	if from < opsetFloat8 && o.isFloat8() {
		return raisedForFloat8(ctx, m, r)
	}
	if from < opsetWide && len(o.Overrides) > 1 && o.overridesAreWider() {
		r.depart(laterOverrides)
	}
	if from >= to {
		return m, nil
	}
	later, added, err := opset.AtLeast(ctx, m, to)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		r.depart(opsetKept)
		return m, nil
	}
	if added {
		r.depart(carriedAttribute)
	}
	return later, nil
}

// opset returns the first opset whose QuantizeLinear supports the options; 0 if any opset does.
func (o Options) opset() int64 {
	if slices.ContainsFunc(o.types(), func(d tensor.DType) bool { return d.Bits() == 16 }) {
		return opsetWide
	}
	return 0
}

// overridesAreWider reports whether the types in overrides need other operators than the types in
// the options.
func (o Options) overridesAreWider() bool {
	own := []tensor.DType{o.ActivationType, o.WeightType}
	return slices.ContainsFunc(o.Overrides.types(), func(d tensor.DType) bool {
		return d.Bits() != 8 && !slices.ContainsFunc(own, func(t tensor.DType) bool { return t.Bits() == d.Bits() })
	})
}

// types returns all types that values can have.
func (o Options) types() []tensor.DType {
	return append(o.Overrides.types(), o.ActivationType, o.WeightType)
}
