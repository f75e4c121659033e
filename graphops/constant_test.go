package graphops_test

import (
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

func TestDense(t *testing.T) {
	value := graphops.NewTensorOf("w", tensor.FromSlice([]uint8{4, 2}, 2))
	for want, a := range map[string]*graphops.Attribute{
		"f32[]{0.5}":          graphops.FloatAttribute("value_float", 0.5),
		"f32[2]{1,2}":         graphops.FloatsAttribute("value_floats", []float32{1, 2}),
		"f32[0]{}":            graphops.FloatsAttribute("value_floats", nil),
		"i64[]{-3}":           graphops.IntAttribute("value_int", -3),
		"i64[3]{1,2,3}":       graphops.IntsAttribute("value_ints", []int64{1, 2, 3}),
		`str[]{"a"}`:          graphops.TextAttribute("value_string", "a"),
		`str[2]{"a","b\xff"}`: graphops.TextsAttribute("value_strings", []string{"a", "b\xff"}),
		"u8[2]{4,2}":          graphops.TensorAttribute("value", value),
	} {
		dense, err := a.Dense("c")
		if err != nil {
			t.Fatal(err)
		}
		if got := literalOf(t, dense); got != want || dense.Name() != "c" {
			t.Errorf("%s is %q %s, want %s", a.Name(), dense.Name(), got, want)
		}
	}
	body := graphops.GraphAttribute("body", nil)
	if _, err := body.Dense("c"); err == nil || !strings.Contains(err.Error(), `attribute "body" of kind graph is not a number, a string, a list or a tensor`) {
		t.Errorf("a graph made a tensor: %v", err)
	}
}

func literalOf(t *testing.T, x *graphops.Tensor) string {
	t.Helper()
	v := tensor.Tensor{DType: x.DType(), Shape: slices.Clone(x.Dims())}
	var err error
	if v.DType == tensor.String {
		v.Strings, err = x.Strings()
	} else {
		var p graphops.Payload
		if p, err = x.Data(); err == nil {
			v.Data, err = p.Bytes()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := v.Literal()
	if err != nil {
		t.Fatal(err)
	}
	return text
}
