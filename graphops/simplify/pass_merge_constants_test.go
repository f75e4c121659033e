package simplify

import (
	"fmt"
	"testing"
)

func TestMergeConstants(t *testing.T) {
	// two states two operations in a row.
	two := func(elem, a, inner, b, outer string) string {
		return fmt.Sprintf("input x %s[n,2]\n init a %s%s\n init b %s%s\n h = %s\n y = %s\n output y %s", elem, elem, a, elem, b, inner, outer, elem)
	}
	cases := map[string]productCase{}
	for _, c := range []struct {
		elem, inner, outer, want string
		constant                 []float64 // of 6 and 2
	}{
		{"f32", "Add(x, a)", "Add(h, b)", "Add(x, b__1)", []float64{8}},
		{"f32", "Add(a, x)", "Sub(h, b)", "Add(x, b__1)", []float64{4}},
		{"f32", "Sub(x, a)", "Add(b, h)", "Add(x, b__1)", []float64{-4}},
		{"f32", "Sub(x, a)", "Sub(h, b)", "Add(x, b__1)", []float64{-8}},
		{"f32", "Sub(a, x)", "Add(h, b)", "Sub(b__1, x)", []float64{8}},
		{"f32", "Sub(a, x)", "Sub(h, b)", "Sub(b__1, x)", []float64{4}},
		{"f32", "Sub(a, x)", "Sub(b, h)", "Add(x, b__1)", []float64{-4}},
		{"f32", "Add(x, a)", "Sub(b, h)", "Sub(b__1, x)", []float64{-4}},
		{"f32", "Sub(x, a)", "Sub(b, h)", "Sub(b__1, x)", []float64{8}},
		{"f32", "Mul(x, a)", "Mul(b, h)", "Mul(x, b__1)", []float64{12}},
		{"f64", "Mul(a, x)", "Div(h, b)", "Mul(x, b__1)", []float64{3}},
		{"f16", "Div(x, a)", "Mul(h, b)", "Mul(x, b__1)", []float64{0.33325195}},
		{"f32", "Div(x, a)", "Div(h, b)", "Div(x, b__1)", []float64{12}},
		{"i32", "Mul(x, a)", "Mul(h, b)", "Mul(x, b__1)", []float64{12}},
		{"u8", "Sub(x, a)", "Sub(b, h)", "Sub(b__1, x)", []float64{8}},
		{"u8", "Sub(x, a)", "Add(b, h)", "Add(x, b__1)", []float64{252}},
		{"i64", "Sub(x, a)", "Add(b, h)", "Add(x, b__1)", []float64{-4}},
	} {
		cases[c.elem+" "+c.inner+" "+c.outer] = productCase{
			text: two(c.elem, "[] 6", c.inner, "[] 2", c.outer), want: []string{"y = " + c.want}, constants: map[string][]float64{"b__1": c.constant},
		}
	}
	// Near misses.
	for name, c := range map[string]struct{ text, why string }{
		"sum and product":       {two("f32", "[] 6", "Add(x, a)", "[] 2", "Mul(h, b)"), ""},
		"constant over value":   {two("f32", "[] 6", "Div(a, x)", "[] 2", "Mul(h, b)"), ""},
		"integers are divided":  {two("i32", "[] 6", "Mul(x, a)", "[] 2", "Div(h, b)"), ""},
		"rounding to integers":  {two("f32", "[] 12582912", "Add(x, a)", "[] 12582912", "Sub(h, b)"), "cancel"},
		"no such number":        {two("f16", "[] 1000", "Mul(x, a)", "[] 1000", "Mul(h, b)"), "f16 cannot represent"},
		"no such sum":           {two("f16", "[] 60000", "Add(x, a)", "[] 60000", "Add(h, b)"), "f16 cannot represent"},
		"close to nothing":      {two("f32", "[] 1e-30", "Mul(x, a)", "[] 1e-30", "Mul(h, b)"), "f32 cannot represent"},
		"by nothing":            {two("f32", "[] 1", "Mul(x, a)", "[] 0", "Div(h, b)"), "f32 cannot represent"},
		"row and column":        {two("f32", "[1,2] 1 2", "Mul(x, a)", "[3,1] 1 2 3", "Mul(h, b)"), "would be larger"},
		"another reader":        {two("f32", "[] 6", "Mul(x, a)", "[] 2", "Mul(h, b)") + "\n output h f32", "read elsewhere"},
		"the operator is older": {"opset 6\n" + two("f32", "[] 6", "Mul(x, a)", "[] 2", "Mul(h, b)"), ""},
	} {
		cases[name] = productCase{text: c.text, why: c.why}
	}
	cases["channels and one"] = productCase{
		text: two("f32", "[2] 6 7", "Mul(x, a)", "[1] 2", "Mul(h, b)"), want: []string{"y = Mul(x, b__1)"}, constants: map[string][]float64{"b__1": {12, 14}},
	}
	cases["one and a matrix"] = productCase{
		text: two("f32", "[2] 6 7", "Add(x, a)", "[2,1,2] 1 2 3 4", "Add(h, b)"), want: []string{"y = Add(x, b__1)"}, constants: map[string][]float64{"b__1": {7, 9, 9, 11}},
	}
	testProducts(t, "merge-constants", cases)
}
