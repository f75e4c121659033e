package reporting

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// TestMainSizes asks for the sizes of inputs whose role does not go with their rank. The operators that
// read an input give it a role too, and a model may be wrong.
func TestMainSizes(t *testing.T) {
	size := func(in graphops.NamedType, axis int) int64 { return in.Type.Shape[axis].Value }
	for role, rank := range map[string]int{"ids": 2, "image": 4, "sound": 2, "": -1} {
		for r := range 6 {
			in := graphops.NamedType{Name: "x", Type: graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32, Shape: graphops.FixedShape(make([]int64, r))}}
			if got := mainSizes(in, role, size); (got != nil) != (r == rank) {
				t.Errorf("%q of rank %d: %q", role, r, got)
			}
		}
	}
}
