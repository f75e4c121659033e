package sides

import (
	"fmt"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
)

// TestResizedSum resizes an example whose mask covers past and new positions: the mask follows.
func TestResizedSum(t *testing.T) {
	m := graphtest.Model(t, "input ids i64[b,s]\ninput mask i64[b,past + s]\ninput k f32[b,2,past,4]\ny = Identity(mask)\noutput y i64[b,past + s]")
	zeros := func(d tensor.DType, shape ...int64) graphops.Value {
		n := int64(d.Bits() / 8)
		for _, s := range shape {
			n *= s
		}
		return graphops.TensorValue(tensor.Tensor{DType: d, Shape: shape, Data: make([]byte, n)})
	}
	example := inputs.Case{Name: "example", Feeds: graphops.Feeds{"ids": zeros(tensor.I64, 2, 3), "mask": zeros(tensor.I64, 2, 8), "k": zeros(tensor.F32, 2, 2, 5, 4)}}
	for name := range example.Feeds {
		example.Fed = append(example.Fed, inputs.Fed{Name: name})
	}
	want := map[string]string{
		"example, b=4": "[4 3] [4 8] [4 2 5 4]", "example, b=3": "[3 3] [3 8] [3 2 5 4]", "example, s=6": "[2 6] [2 11] [2 2 5 4]",
		"example, s=4": "[2 4] [2 9] [2 2 5 4]", "example, past=10": "[2 3] [2 13] [2 2 10 4]", "example, past=6": "[2 3] [2 9] [2 2 6 4]",
	}
	got := (&Eager{}).resized(m, example)
	if len(got) != len(want) {
		t.Errorf("%d cases, want %d", len(got), len(want))
	}
	for _, c := range got {
		shape := func(name string) []int64 { return c.Feeds[name].Tensor.Shape }
		if s := fmt.Sprint(shape("ids"), " ", shape("mask"), " ", shape("k")); s != want[c.Name] {
			t.Errorf("%s: %s, want %s", c.Name, s, want[c.Name])
		}
		for _, f := range c.Fed {
			if fmt.Sprint(f.Shape) != fmt.Sprint(graphops.FixedShape(shape(f.Name))) {
				t.Errorf("%s: %s is described as %s", c.Name, f.Name, f.Shape)
			}
		}
	}
}
