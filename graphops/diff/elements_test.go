package diff

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// TestElementsOfOneHash compares small constants by what they hold where their hashes
// are the same.
func TestElementsOfOneHash(t *testing.T) {
	floats := graphops.NewTensorOf("w", tensor.FromSlice([]float32{1, 2}, 2))
	for _, c := range []struct {
		name string
		a, b *graphops.Tensor
		same bool
	}{
		{"the same", floats, graphops.NewTensorOf("v", tensor.FromSlice([]float32{1, 2}, 2)), true},
		{"an element", floats, graphops.NewTensorOf("w", tensor.FromSlice([]float32{1, 3}, 2)), false},
		{"the shape", floats, graphops.NewTensorOf("w", tensor.FromSlice([]float32{1, 2}, 1, 2)), false},
		{"the type", floats, graphops.NewTensorOf("w", tensor.FromSlice([]int32{1, 2}, 2)), false},
		{"a string", graphops.NewTensorOf("w", tensor.FromStrings([]string{"ab", "c"}, 2)), graphops.NewTensorOf("w", tensor.FromStrings([]string{"a", "bc"}, 2)), false},
	} {
		x := &comparer{ctx: t.Context(), d: &Diff{}, seen: map[[2]*graphops.Tensor]bool{}}
		a, b := x.heads.dense(c.a, -1), x.heads.dense(c.b, -1)
		b.head, b.form, b.full = a.head, a.form, a.full
		x.tensors(pairOfTensors{v: -1, w: -1, nodeA: -1, nodeB: -1, a: a, b: b})
		if same := len(x.pending) == 0; same != c.same || len(x.d.Notes.Unread) > 0 {
			t.Errorf("%s: same is %v, unread %v", c.name, same, x.d.Notes.Unread)
		}
	}
}
