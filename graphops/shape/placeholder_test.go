package shape_test

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// TestPlaceholders has what exporters write for any size: two axes that have it are
// not equal, and a name that looks like one is a name.
func TestPlaceholders(t *testing.T) {
	for _, symbol := range []string{"?", "None", "-1", ""} {
		d := graphops.SymbolDim(symbol)
		if a, b := shape.SizeFromFile(d), shape.SizeFromFile(d); !a.IsUnknown() || a.Equal(b) {
			t.Errorf("%q is %s", symbol, a)
		}
	}
	for _, symbol := range []string{"none", "NONE", "None1", "N", "unk", "-n"} {
		if d := shape.SizeFromFile(graphops.SymbolDim(symbol)); !d.Known() {
			t.Errorf("%q is not known", symbol)
		}
	}
	check(t, []example{{
		name: "two axes", model: "input x f32[None,4]\ninput z f32[None,4]\ny = Concat(x, z) axis=0\na = Concat(x, x) axis=1",
		want: map[string]string{"y": "f32 ?×4", "a": "f32 ?×8"},
	}})
}
