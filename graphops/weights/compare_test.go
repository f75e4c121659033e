package weights_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/weights"
)

func TestCompare(t *testing.T) {
	of := func(v tensor.Tensor) *graphops.Tensor { return graphops.NewTensorOf("w", v) }
	zero := float32(0)
	for _, c := range []struct {
		name       string
		a, b       *graphops.Tensor
		same       bool
		mismatched int64
		maxAbs     float64
	}{
		{"bits", of(tensor.FromSlice([]float32{1, 2}, 2)), of(tensor.FromSlice([]float32{1, 2}, 2)), true, 0, 0},
		{"an element", of(tensor.FromSlice([]float32{1, 2}, 2)), of(tensor.FromSlice([]float32{1, 2.5}, 2)), false, 1, 0.5},
		{"signs of zero", of(tensor.FromSlice([]float32{zero}, 1)), of(tensor.FromSlice([]float32{float32(math.Copysign(0, -1))}, 1)), false, 0, 0},
		{"integers", of(tensor.FromSlice([]int64{1, math.MaxInt64}, 2)), of(tensor.FromSlice([]int64{1, math.MaxInt64 - 1}, 2)), false, 1, 1},
		{"types", of(tensor.FromSlice([]float32{1, 2}, 2)), of(tensor.FromSlice([]float64{1, 2}, 2)), false, 0, 0},
		{"texts", of(tensor.FromStrings([]string{"a", "b"}, 2)), of(tensor.FromStrings([]string{"a", "b"}, 2)), true, 0, 0},
		{"other texts", of(tensor.FromStrings([]string{"a", "b"}, 2)), of(tensor.FromStrings([]string{"a", "c"}, 2)), false, 1, 0},
		{"nothing", of(tensor.FromSlice([]float32{}, 0)), of(tensor.FromSlice([]float32{}, 0)), true, 0, 0},
	} {
		m, err := weights.Compare(t.Context(), c.a, c.b, nil)
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.same != (m == nil):
			t.Errorf("%s: metrics are %+v", c.name, m)
		case m != nil && (m.Mismatched != c.mismatched || c.a.DType() != tensor.String && m.MaxAbs != c.maxAbs):
			t.Errorf("%s: metrics are %+v", c.name, m)
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	number := graphops.NewTensorOf("w", tensor.FromSlice([]float32{1}, 1))
	for name, other := range map[string]*graphops.Tensor{
		"another shape": graphops.NewTensorOf("w", tensor.FromSlice([]float32{1}, 1, 1)),
		"a text":        graphops.NewTensorOf("w", tensor.FromStrings([]string{"1"}, 1)),
	} {
		if _, err := weights.Compare(t.Context(), number, other, nil); err == nil {
			t.Errorf("%s is compared", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := weights.Compare(ctx, number, number, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
