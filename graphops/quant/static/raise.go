package static

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/quant"
)

// quantizable is the model in an opset that has QuantizeLinear. added tells whether
// attributes became constants.
func quantizable(ctx context.Context, m *graphops.Model) (result *graphops.Model, added bool, err error) {
	if opset, ok := m.Opset(graphops.DefaultDomain); ok && opset >= opsetQuantize {
		return m, false, nil
	}
	return quant.RaiseOpset(ctx, m, opsetEarly)
}

// raised is the model in the opset whose operators take the types that are asked for. It
// stays as it is where operators of domain com.microsoft take them too and a node does not
// mean the same in that opset.
func raised(ctx context.Context, m *graphops.Model, o Options, r *Report) (*graphops.Model, error) {
	to := o.opset()
	if opset, _ := m.Opset(graphops.DefaultDomain); opset >= to {
		return m, nil
	}
	later, added, err := quant.RaiseOpset(ctx, m, to)
	switch {
	case err == nil:
		if added {
			r.depart(CarriedAttribute)
		}
		return later, nil
	case o.contribTakes():
		r.depart(OpsetKept)
		return m, nil
	}
	return nil, err
}

// opset is the first whose QuantizeLinear takes what is asked for, 0 where none need be
// raised to.
func (o Options) opset() int64 {
	if o.ActivationType.Bits() == 16 || o.WeightType.Bits() == 16 {
		return opsetWide
	}
	return 0
}

// contribTakes reports whether operators of domain com.microsoft take all types.
func (o Options) contribTakes() bool { return true }
