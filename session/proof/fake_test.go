package proof_test

import (
	"context"
	"errors"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
)

// program is what a model computes, as a test has it.
type program func(in graphops.Feeds) (map[string]graphops.Value, error)

// runner runs programs in place of models.
type runner map[*graphops.Model]program

func (r runner) Run(ctx context.Context, m *graphops.Model, in graphops.Feeds, want []execution.Want, yield func(execution.Got) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	run, ok := r[m]
	if !ok {
		return errors.New("no program for this model")
	}
	got, err := run(in)
	if err != nil {
		return err
	}
	for _, w := range want {
		v, ok := got[w.Name]
		if !ok {
			return errors.New("no value " + w.Name)
		}
		if err := yield(execution.Got{Name: w.Name, Value: v}); err != nil {
			return err
		}
	}
	return nil
}

// floats are the elements of an input.
func floats(t *testing.T, v graphops.Value) []float32 {
	t.Helper()
	list, err := v.Tensor.Float64s()
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float32, len(list))
	for i, x := range list {
		out[i] = float32(x)
	}
	return out
}

func value(list []float32, shape ...int64) graphops.Value {
	return graphops.TensorValue(tensor.FromSlice(list, shape...))
}

// doubled is a program of one input x and one output y with rows of 2, y = 2*x, that a
// test may spoil.
func doubled(t *testing.T, spoil func(rows int64, y []float32)) program {
	return func(in graphops.Feeds) (map[string]graphops.Value, error) {
		x := in["x"]
		y := floats(t, x)
		for i := range y {
			y[i] *= 2
		}
		if spoil != nil {
			spoil(x.Tensor.Shape[0], y)
		}
		return map[string]graphops.Value{"y": value(y, x.Tensor.Shape...)}, nil
	}
}
