package shape_test

import (
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/shape"
)

// TestSparseConstant has a Constant whose attribute "value" is sparse, as ONNX Runtime
// takes it, and one whose attribute is called as the standard has it.
func TestSparseConstant(t *testing.T) {
	for _, name := range []string{"value", "sparse_value"} {
		p := graphtest.Proto(t, "sparse s f32[2,4] 3 at 1\nc = Constant() value=1\ny = Neg(c)\noutput y f32")
		a := p.Graph.Node[0].Attribute[0]
		a.Name, a.I, a.Type, a.SparseTensor = &name, nil, onnxpb.AttributeProto_SPARSE_TENSOR.Enum(), p.Graph.SparseInitializer[0]
		p.Graph.SparseInitializer = nil
		m := graphtest.Decode(t, p)
		r, err := shape.Infer(t.Context(), m, shape.Options{})
		if err != nil {
			t.Fatal(err)
		}
		y, _ := m.Graph().Index().Value("y")
		if got := r.Value(m.Places()[0], y).String(); got != "f32 2×4" || len(r.Problems) > 0 {
			t.Errorf("%s: %s, problems %v", name, got, r.Problems)
		}
	}
}

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
