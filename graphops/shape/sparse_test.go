package shape_test

import (
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
)

// TestSparseWithoutValues infers a model whose sparse tensor lacks them.
func TestSparseWithoutValues(t *testing.T) {
	p := graphtest.Proto(t, "sparse s f32[4] 3 at 1\ny = Neg(s)\noutput y f32")
	p.Graph.SparseInitializer[0].Values = nil
	m := graphtest.Decode(t, p)
	r, err := shape.Infer(t.Context(), m, shape.Options{})
	if err != nil || r == nil {
		t.Errorf("%v, %v", r, err)
	}
}
