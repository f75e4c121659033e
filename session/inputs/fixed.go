package inputs

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// maxFixed is the maximum number of elements that one number fills.
const maxFixed = 1 << 20

// Fixed reads values that the user wrote for inputs, each as NAME=VALUE. VALUE is a tensor, such as
// i64[2]{1,2}, or a number, true or false, which every element gets. The declared shape of an input that
// gets a number must have no free axis.
func Fixed(said []string, types []graphops.NamedType) (map[string]tensor.Tensor, error) {
	out := make(map[string]tensor.Tensor, len(said))
	for _, s := range said {
		in, what, err := splitGiven(s, types)
		if err != nil {
			return nil, err
		}
		if _, twice := out[in.Name]; twice {
			return nil, fmt.Errorf("input %q is given twice", in.Name)
		}
		if out[in.Name], err = fixedValue(in, what); err != nil {
			return nil, fmt.Errorf("input %q: %w", in.Name, err)
		}
	}
	return out, nil
}

func fixedValue(in graphops.NamedType, what string) (tensor.Tensor, error) {
	if isWritten(what) {
		t, err := tensor.ParseLiteral(what)
		if err != nil {
			return t, err
		}
		v, _, err := fit(graphops.TensorValue(t), in)
		return v.Tensor, err
	}
	x, err := numberOf(what)
	if err != nil {
		return tensor.Tensor{}, err
	}
	return filled(in.Type, x)
}

// filled returns a tensor of a declared type whose elements are all x.
func filled(t graphops.Type, x float64) (tensor.Tensor, error) {
	kind := t.Elem.Kind()
	switch {
	case t.Kind != graphops.TypeTensor || kind == tensor.KindString || kind == tensor.KindComplex:
		return tensor.Tensor{}, fmt.Errorf("a number cannot be a value of the type %s; give a file with --data", t)
	case kind != tensor.KindFloat && x != math.Trunc(x) || kind == tensor.KindBool && x != 0 && x != 1:
		return tensor.Tensor{}, fmt.Errorf("%g is not a value of the type %s", x, t)
	}
	dims, n := make([]int64, len(t.Shape)), int64(1)
	for i, d := range t.Shape {
		if !d.IsFixed() || d.Value > maxFixed {
			n = maxFixed + 1
			break
		}
		dims[i], n = d.Value, min(n*d.Value, maxFixed+1)
	}
	if t.Shape == nil || n > maxFixed {
		return tensor.Tensor{}, fmt.Errorf("a number fills up to %d elements of a known shape, and this has %s; give a tensor, such as f32[2]{1,2}, or --data", maxFixed, shapeWords(t.Shape))
	}
	return tensor.FromFloat64s(t.Elem, slices.Repeat([]float64{x}, int(n)), dims...)
}

func numberOf(s string) (float64, error) {
	switch s {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, fmt.Errorf("%q: expected a number, true, false, or a tensor such as i64[2]{1,2}", s)
	}
	return x, nil
}

func shapeWords(s graphops.Shape) string {
	if s == nil {
		return "no known shape"
	}
	return "the shape " + s.String()
}
