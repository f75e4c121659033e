package half

import (
	"slices"
	"testing"

	"lathe/graphops/graphtest"
)

// TestUnorderedSource converts a model whose nodes are in no executable order. The result must be in
// order, because ONNX requires it.
func TestUnorderedSource(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[2,2]
		init w f32[2,2] 1 2 3 4
		y = Relu(a)
		a = MatMul(x, w)
		output y f32[2,2]
	`)
	got, _, err := Float16(t.Context(), m, DefaultOptions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if order, err := got.Graph().Order(); err != nil || !slices.IsSorted(order) {
		t.Errorf("the nodes have the order %v, error %v", order, err)
	}
}
