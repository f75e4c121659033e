package simplify

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// constantViews is separate from folding because it reads nothing: a weight of any size stays
// the same bytes at the same place in its file.
var constantViews = &pass{
	name:   "constant-views",
	title:  "a constant that is only reshaped is stored in the new shape",
	reason: "the elements and their order do not change",
	ops:    []string{"Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity"},
	node: func(j *job, n *rewrite.Node) string {
		in, out := n.In(0), n.Out(0)
		if !n.Is("Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity") || !out.IsUsed() {
			return ""
		}
		t := reshaped(in, out)
		if t == nil {
			return ""
		}
		bytes, err := t.ByteLen()
		if err != nil || in.Uses() > 1 && !j.growFor(bytes) {
			j.refuse(n, fmt.Sprintf("the constant %q is also read in its own shape, and constants may not grow by %d more bytes", in.Name(), bytes))
			return ""
		}
		if !out.Become(t) {
			return ""
		}
		return madeConstant(n, 1)
	},
}

// reshaped returns a constant in the shape of another value; nil if that shape is unknown, or
// does not fit the elements.
func reshaped(v, as *rewrite.Value) *graphops.Tensor {
	c := v.Constant()
	dims, ok := fixedDims(as)
	if c == nil || !ok || c.DType() == tensor.String || as.Type().Elem != c.DType() {
		return nil
	}
	before, err := c.Elements()
	after, err2 := tensor.Elements(dims)
	p, err3 := c.Data()
	if err != nil || err2 != nil || err3 != nil || before != after {
		return nil
	}
	return graphops.NewTensor(as.Name(), c.DType(), dims, p)
}

// fixedDims returns the sizes of a tensor if all of them are numbers.
func fixedDims(v *rewrite.Value) ([]int64, bool) {
	t := v.Type()
	if t.Kind != graphops.TypeTensor || t.Dims == nil {
		return nil, false
	}
	dims := make([]int64, len(t.Dims))
	for i, d := range t.Dims {
		n, ok := d.Number()
		if !ok || n < 0 {
			return nil, false
		}
		dims[i] = n
	}
	return dims, true
}
