package simplify

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// normalization is a quotient (see type quotient) together with the nodes after it: a cast, a scale
// and a bias.
type normalization struct {
	quotient
	x    *rewrite.Value
	bias *rewrite.Value
}

// follow adds the Mul with a scale and, if the operator has one, the Add of a bias, if only they
// read the quotient. One cast may be in between, if the input is available in its type.
func (n *normalization) follow(bias bool) {
	n.followScale(bias)
	if n.scale != nil || n.bias != nil {
		return
	}
	cast := n.root.Out(0).Reader()
	if !cast.Is("Cast") || cast.Graph() != n.root.Graph() || !isFloat(cast.Out(0)) || n.inType(cast.Out(0).Type().Elem) == nil {
		return
	}
	n.grow(cast)
	n.followScale(bias)
}

func (n *normalization) followScale(bias bool) {
	if mul := n.root.Out(0).Reader(); n.scale == nil && mul.Is("Mul") {
		n.take(mul, &n.scale)
	}
	if add := n.root.Out(0).Reader(); bias && add.Is("Add") {
		n.take(add, &n.bias)
	}
}

// take makes a Mul or Add the root of the pattern, if its other input has the shape of the
// normalized axes. That input becomes *parameter.
func (n *normalization) take(by *rewrite.Node, parameter **rewrite.Value) {
	v := n.root.Out(0)
	if by.Graph() != v.Graph() || by.Out(0) == nil {
		return
	}
	other := by.In(0)
	if other == v {
		other = by.In(1)
	}
	if n.fits(other) {
		*parameter = other
		n.grow(by)
	}
}

// inType returns the input of the normalization in a type: the value itself, or a value before
// casts. It returns nil if there is none.
func (n *normalization) inType(elem tensor.DType) *rewrite.Value {
	for v := n.x; ; {
		cast := made(v, "Cast")
		if v.Type().Elem == elem && (cast == nil || cast.In(0).Type().Elem != elem) {
			return v
		}
		if cast == nil || !isFloat(cast.In(0)) {
			return nil
		}
		v = cast.In(0)
	}
}

// fits reports whether a value has the sizes of the normalized axes, with only ones before them.
func (n *normalization) fits(v *rewrite.Value) bool {
	x, w := n.x.Type().Dims, v.Type().Dims
	if v == nil || len(w) < n.axes || len(x) < len(w) {
		return false
	}
	for _, d := range w[:len(w)-n.axes] {
		if !d.Is(1) {
			return false
		}
	}
	for i := 1; i <= n.axes; i++ {
		if !w[len(w)-i].Equal(x[len(x)-i]) {
			return false
		}
	}
	return true
}

// check returns the reason why the normalization cannot become one operator, or an empty string.
func (n *normalization) check() string {
	dims := n.x.Type().Dims
	switch {
	case dims == nil:
		return "the rank of its input is not known"
	case n.axes > len(dims) || n.rank > len(dims):
		return fmt.Sprintf("a constant has %s, but the input has %d", counted(n.rank, "axis", "axes"), len(dims))
	case isDouble(n.root.Out(0)):
		return "it computes in 64 bits, but the operator computes in 32"
	case n.inType(n.root.Out(0).Type().Elem) == nil:
		return fmt.Sprintf("its result is %s, but its input is %s", n.root.Out(0).Type().Elem, n.x.Type().Elem)
	}
	several := false
	for _, d := range dims[len(dims)-n.axes:] {
		lo, _ := d.Bounds()
		several = several || lo > 1
	}
	if !several {
		return "what it normalizes may be a single element, which ONNX Runtime rejects"
	}
	if v := n.leak(); v != nil {
		return fmt.Sprintf("the intermediate value %q is also needed elsewhere", v.Name())
	}
	return ""
}

// maxOnes is the maximum number of elements of a scale of ones that is added if there is none.
const maxOnes = 1 << 24

// parameters returns scale and bias as inputs of the operator, or the reason why this is not
// possible.
func (n *normalization) parameters(j *job) (list []*rewrite.Value, bad string) {
	if n.scale == nil {
		if n.scale, bad = n.ones(j); bad != "" {
			return nil, bad
		}
	}
	list = []*rewrite.Value{n.scale}
	if n.bias != nil {
		list = append(list, n.bias)
	}
	for _, v := range list {
		if len(v.Type().Dims) > n.axes && v.Constant() == nil {
			return nil, fmt.Sprintf("%q has more axes than are normalized, and is not a constant", v.Name())
		}
		if v.Type().Elem != n.root.Out(0).Type().Elem {
			return nil, fmt.Sprintf("%q is %s", v.Name(), v.Type().Elem)
		}
	}
	for i, v := range list {
		if list[i], bad = n.flat(j, v); bad != "" {
			return nil, bad
		}
	}
	return list, ""
}

// flat returns a constant without its leading axes of size 1, or the reason why this is not
// possible.
func (n *normalization) flat(j *job, v *rewrite.Value) (flat *rewrite.Value, bad string) {
	c := v.Constant()
	if len(v.Type().Dims) == n.axes || c == nil {
		return v, ""
	}
	data, err := c.Data()
	if err != nil {
		return nil, err.Error()
	}
	if v.Uses() > 1 && !j.grow(data.Len()) {
		return nil, fmt.Sprintf("%q has leading axes of size 1 and other nodes read it; with a copy, constants would grow too much", v.Name())
	}
	dims := slices.Clone(c.Dims()[len(c.Dims())-n.axes:])
	return n.root.Graph().NewStored(graphops.NewTensor(v.Name(), c.DType(), dims, data)), ""
}

// ones returns a scale of ones.
func (n *normalization) ones(j *job) (*rewrite.Value, string) {
	dims := n.x.Type().Dims
	count, sizes := int64(1), make([]int64, 0, n.axes)
	for _, d := range dims[len(dims)-n.axes:] {
		size, ok := d.Number()
		if !ok {
			return nil, "it has no scale, and the size of what it normalizes is not known"
		}
		if size > maxOnes/max(count, 1) {
			return nil, "it has no scale, and a scale of ones would be too large"
		}
		count *= size
		sizes = append(sizes, size)
	}
	elem := n.root.Out(0).Type().Elem
	bytes, err := elem.ByteLen(count)
	if err != nil || !j.grow(bytes) {
		return nil, "it has no scale, and with a scale of ones, constants would grow too much"
	}
	values := make([]float64, count)
	for i := range values {
		values[i] = 1
	}
	t, err := tensor.FromFloat64s(elem, values, sizes...)
	if err != nil {
		return nil, err.Error()
	}
	return n.root.Graph().NewConstant(n.x.Name()+"_scale", t), ""
}

// settle replaces the normalization by the first available of these operators.
func (n *normalization) settle(j *job, offers ...offer) string {
	root := n.root
	refuse := func(why string) string {
		j.refuse(root, why)
		return ""
	}
	if why := n.check(); why != "" {
		return refuse(why)
	}
	elem := root.Out(0).Type().Elem
	o, ok := pick(root.Graph(), elem, offers...)
	if !ok {
		return refuse(notOffered(root.Graph(), elem, offers[0]))
	}
	parameters, bad := n.parameters(j)
	if bad != "" {
		return refuse(bad)
	}
	in := append([]*rewrite.Value{n.inType(elem)}, parameters...)
	attributes := []*graphops.Attribute{
		graphops.IntAttribute("axis", int64(-n.axes)), graphops.FloatAttribute("epsilon", float32(n.epsilon)),
	}
	return n.cluster.settle(j, o, in, attributes...)
}

// within returns a value of the pattern before casts between float types. The casts become part of
// the pattern.
func (n *normalization) within(v *rewrite.Value) *rewrite.Value {
	v, casts := uncast(v)
	n.add(casts...)
	return v
}

// uncast returns the input before such casts, which are removed if nothing else needs them.
func (n *normalization) uncast(v *rewrite.Value) *rewrite.Value {
	v, casts := uncast(v)
	n.loose = append(n.loose, casts...)
	return v
}
