package comparison

import (
	"bytes"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// TestStoredPair compares a value in memory with one in a store: the difference is the same as
// between two values in memory.
func TestStoredPair(t *testing.T) {
	const n = 100_000
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(i), float32(i)
	}
	y[n-1] += 8
	a, b := graphops.TensorValue(tensor.FromSlice(x, n)), graphops.TensorValue(tensor.FromSlice(y, n))
	b.Tensor.Data, b.Stored = nil, bytes.NewReader(b.Tensor.Data)
	p, err := NewValuePair(t.Context(), a, b, func(int64, int64) {})
	if err != nil {
		t.Fatal(err)
	}
	m := p.Beside.Metrics
	if p.Why != "" || m.MaxAbs != 8 || m.Total != n || p.Beside.Equal != n-1 {
		t.Errorf("%s: %+v, %d equal", p.Why, m, p.Beside.Equal)
	}
}
