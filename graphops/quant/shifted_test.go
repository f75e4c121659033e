package quant_test

import (
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// TestShifted: int8 weights become uint8 with zero points as much larger, where nothing else reads
// them; all other models stay as they are.
func TestShifted(t *testing.T) {
	const head = "opset ai.onnx 17\nopset com.microsoft 1\ninput x u8[2,2]\ninit w i8[2,2] -128 -1 0 127\ninit z i8[] 3\noutput y i32[2,2]\n"
	const pairs = "opset ai.onnx 17\ninput x f32[2,2]\ninit w i8[2,2] -128 -1 0 127\ninit s f32[2] 1 2\noutput y f32[2,2]\n"
	for name, c := range map[string]struct {
		text  string
		nodes int
		zero  []int64 // of the weight, in the node that reads it
	}{
		"no zero point":              {head + "y = MatMulInteger(x, w)", 1, []int64{128}},
		"a zero point":               {head + "y = MatMulInteger(x, w, , z)", 1, []int64{131}},
		"two readers":                {head + "a = MatMulInteger(x, w)\nb = MatMulInteger(x, w, , z)\ny = Add(a, b)", 2, []int64{128}},
		"pairs":                      {pairs + "d = DequantizeLinear(w, s) axis=1\ny = MatMul(x, d)", 1, []int64{128, 128}},
		"an activation":              {head + "y = MatMulInteger(w, x)", 0, nil},
		"on both sides":              {head + "y = MatMulInteger(w, w)", 0, nil},
		"read by another":            {head + "y = MatMulInteger(x, w)\nc = Cast(w) to=1\noutput c f32[2,2]", 0, nil},
		"an output":                  {head + "output w i8[2,2]\ny = MatMulInteger(x, w)", 0, nil},
		"a zero point that is given": {head + "input q i8[]\ny = MatMulInteger(x, w, , q)", 0, nil},
		"pairs that are added":       {pairs + "d = DequantizeLinear(w, s) axis=1\ny = Add(x, d)", 0, nil},
		"pairs on the left":          {pairs + "d = DequantizeLinear(w, s) axis=1\ny = MatMul(d, x)", 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := graphtest.Model(t, c.text)
			got, nodes, err := quant.Shifted(m)
			if err != nil || nodes != c.nodes {
				t.Fatalf("%d nodes, error %v", nodes, err)
			}
			if nodes == 0 {
				if got != m {
					t.Error("it is another model")
				}
				return
			}
			w := constantOf(t, got, "w")
			if list, _ := w.Int64s(); w.DType != tensor.U8 || !slices.Equal(list, []int64{0, 127, 128, 255}) {
				t.Errorf("the weight is %s %v", w.DType, list)
			}
			n := got.Graph().Nodes()[0]
			zero := constantOf(t, got, n.Inputs()[len(n.Inputs())-1])
			if list, _ := zero.Int64s(); zero.DType != tensor.U8 || !slices.Equal(list, c.zero) {
				t.Errorf("the zero point is %s %v", zero.DType, list)
			}
		})
	}
}

func constantOf(t *testing.T, m *graphops.Model, name string) tensor.Tensor {
	t.Helper()
	for _, c := range m.Graph().Initializers() {
		if c.Name() == name {
			x, err := c.Read()
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
	}
	t.Fatalf("there is no constant %q", name)
	return tensor.Tensor{}
}
