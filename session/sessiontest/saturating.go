package sessiontest

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session/runtime"
)

// Saturating returns a runtime like r on a CPU whose sums of products of uint8 and int8 saturate to half of their
// value, except without optimization or with weights that leave one bit unused.
func Saturating(r runtime.Runtime) runtime.Runtime { return halving{r} }

// halving is the runtime that Saturating returns.
type halving struct{ runtime.Runtime }

// Load implements runtime.Runtime.
func (r halving) Load(ctx context.Context, m *graphops.Model, o runtime.Execution) (runtime.Loaded, error) {
	l, err := r.Runtime.Load(ctx, m, o)
	signed := slices.ContainsFunc(m.Graph().Initializers(), isLarge) ||
		slices.ContainsFunc(m.Graph().Inputs(), func(v *graphops.ValueInfo) bool { return v.Type().Elem == tensor.I8 })
	if err != nil || o.Opt == "disable" || !signed {
		return l, err
	}
	return OtherNumbers{l, func(v float64) float64 { return v / 2 }}, nil
}

// isLarge reports whether an int8 weight uses all bits.
func isLarge(t *graphops.Tensor) bool {
	if t.DType() != tensor.I8 || len(t.Dims()) < 2 {
		return false
	}
	x, err := t.Read()
	if err != nil {
		return false
	}
	list, err := x.Int64s()
	return err == nil && slices.ContainsFunc(list, func(v int64) bool { return v > 64 || v < -64 })
}

// OtherNumbers is a loaded model whose outputs are changed by a function.
type OtherNumbers struct {
	runtime.Loaded
	Change func(float64) float64
}

// Run implements runtime.Loaded.
func (l OtherNumbers) Run(ctx context.Context, in graphops.Feeds, want []execution.Want, yield func(execution.Got) error) error {
	return l.Loaded.Run(ctx, in, want, func(g execution.Got) error {
		x, err := g.Value.Tensor.Float64s()
		if err != nil {
			return err
		}
		for i := range x {
			x[i] = l.Change(x[i])
		}
		t, err := tensor.FromFloat64s(g.Value.Tensor.DType, x, g.Value.Tensor.Shape...)
		if err != nil {
			return err
		}
		g.Value = graphops.TensorValue(t)
		return yield(g)
	})
}
