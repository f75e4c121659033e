package simplify

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// operand is the queries, keys or values of an attention, in each form that the graph already has.
type operand struct {
	dims []dim.Dim // batch × heads × steps × size
	// headed is batch × heads × steps × size; nil if the graph only has swapped.
	headed *rewrite.Value
	// swapped becomes headed if it is transposed by perm.
	swapped *rewrite.Value
	perm    []int64
	// flat is batch × steps × (heads · size), nil if the graph does not have it.
	flat *rewrite.Value
	// past and fresh are the two parts if headed is the result of a Concat along the sequence axis,
	// and otherwise nil.
	past  *rewrite.Value
	fresh *operand
	// group is the operand with fewer heads, each of which is repeated consecutively in headed;
	// nil if all heads differ.
	group *operand
}

// Permutations of axes in attention.
var (
	permHeads   = []int64{0, 2, 1, 3} // heads and steps
	permSwapped = []int64{0, 1, 3, 2} // the last two
	permKeys    = []int64{0, 2, 3, 1} // steps × heads × size to heads × size × steps
)

// operands finds queries, keys and values, or returns the reason why it cannot.
func (a *attended) operands(first *rewrite.Node) (why string) {
	q, k, v := first.In(0), first.In(1), a.product.In(1)
	q = a.unscaled(q)
	k = a.unscaled(k)
	a.first, a.keys = first, k
	if len(a.scores) != 4 || len(q.Type().Dims) != 4 || len(k.Type().Dims) != 4 || len(v.Type().Dims) != 4 {
		return "queries, keys and values are not known to have the axes batch, heads, sequence and size"
	}
	a.q, a.v = headedOperand(q), headedOperand(v)
	a.k = keyOperand(k)
	a.length = a.v.dims[2]
	for i, name := range []string{"batch", "number of heads"} {
		if !a.q.dims[i].Equal(a.k.dims[i]) || !a.q.dims[i].Equal(a.v.dims[i]) {
			return "it is not certain that queries, keys and values have the same " + name + ": " + a.q.dims[i].String() + ", " + a.k.dims[i].String() + " and " + a.v.dims[i].String()
		}
	}
	if !isFloat(q) && !isDouble(q) {
		return "its type is not a float type"
	}
	return ""
}

// unscaled skips multiplications of queries or keys by constants, and records the factors, because
// they scale the scores in the same way.
func (a *attended) unscaled(v *rewrite.Value) *rewrite.Value {
	for range 4 {
		n := v.Producer()
		if !n.Is("Mul", "Div") || v.Reader() == nil {
			return v
		}
		x, factor := scaledBy(n)
		if x == nil {
			return v
		}
		a.scale *= factor
		a.between = append(a.between, n)
		v = x
	}
	return v
}

// passed returns the value before nodes that do not change it.
func passed(v *rewrite.Value) *rewrite.Value {
	for range maxBetween {
		n := v.Producer()
		if !n.Is("Cast", "Reshape", "Identity") || !sameDims(n.In(0), v) {
			break
		}
		v = n.In(0)
	}
	return v
}

func headedOperand(v *rewrite.Value) operand {
	v = passed(v)
	o := operand{dims: v.Type().Dims, headed: v}
	switch n := v.Producer(); {
	case transposes(n, permHeads):
		o.flat = splitFrom(n.In(0), o.dims)
	case n.Is("Concat"):
		o.past, o.fresh = joined(n)
	case n.Is("Reshape"):
		o.flat, o.group = splitOfOne(n, o.dims), grouped(n)
	}
	return o
}

// splitOfOne is like splitFrom for a single step, whose heads need no Transpose.
func splitOfOne(n *rewrite.Node, headed []dim.Dim) *rewrite.Value {
	from := n.In(0).Type().Dims
	if len(from) != 3 || len(headed) != 4 || !headed[2].Is(1) || !equalDims(from, []dim.Dim{headed[0], headed[2], headed[1].Mul(headed[3])}) {
		return nil
	}
	return n.In(0)
}

// keyOperand returns the keys as an operand. t is their transposed form: batch × heads × size ×
// steps.
func keyOperand(t *rewrite.Value) operand {
	d := t.Type().Dims
	dims := []dim.Dim{d[0], d[1], d[3], d[2]}
	t = passed(t)
	n := t.Producer()
	switch {
	case transposes(n, permSwapped):
		return headedOperand(n.In(0))
	case transposes(n, permKeys):
		return operand{dims: dims, swapped: n.In(0), perm: permHeads, flat: splitFrom(n.In(0), dims)}
	case n.Is("Reshape"):
		if k := swappedInThree(n); k != nil {
			return headedOperand(k)
		}
	}
	return operand{dims: dims, swapped: t, perm: permSwapped}
}

// swappedInThree returns the tensor whose last two axes are swapped while its first two axes are
// merged, which is how PyTorch transposes a tensor of unknown rank.
func swappedInThree(n *rewrite.Node) *rewrite.Value {
	swap := n.In(0).Producer()
	if !transposes(swap, []int64{0, 2, 1}) {
		return nil
	}
	merge := swap.In(0).Producer()
	if !merge.Is("Reshape") {
		return nil
	}
	from, to := merge.In(0).Type().Dims, n.Out(0).Type().Dims
	mid := merge.Out(0).Type().Dims
	if len(from) != 4 || len(mid) != 3 || len(to) != 4 || !equalDims(from[2:], mid[1:]) ||
		!equalDims([]dim.Dim{from[0], from[1], from[3], from[2]}, to) {
		return nil
	}
	return merge.In(0)
}

func transposes(n *rewrite.Node, perm []int64) bool {
	if !n.Is("Transpose") {
		return false
	}
	p, ok := n.Ints("perm")
	return ok && slices.Equal(p, perm)
}

// splitFrom returns the tensor batch × steps × (heads · size) whose last axis is split into heads
// to produce v, or nil.
func splitFrom(v *rewrite.Value, headed []dim.Dim) *rewrite.Value {
	n := passed(v).Producer()
	if !n.Is("Reshape") {
		return nil
	}
	from, to := n.In(0).Type().Dims, v.Type().Dims
	if len(from) != 3 || len(to) != 4 || !equalDims(from[:2], to[:2]) || !equalDims(to, []dim.Dim{headed[0], headed[2], headed[1], headed[3]}) {
		return nil
	}
	// its last axis is the product of heads and size, as a Reshape keeps the number of elements
	return n.In(0)
}

// asHeaded returns the operand as batch × heads × steps × size. It inserts a Transpose before a
// node if necessary.
func (o *operand) asHeaded(at *rewrite.Node) *rewrite.Value {
	if o.headed == nil {
		o.headed = transposed(at, o.swapped, o.perm)
	}
	return o.headed
}

// asFlat returns the operand as batch × steps × (heads · size). It inserts nodes before a node
// if necessary. Heads and size must be known.
func (o *operand) asFlat(at *rewrite.Node) *rewrite.Value {
	if o.flat == nil {
		swapped := transposed(at, o.asHeaded(at), permHeads)
		o.flat = shapedAs(at, swapped, []int64{0, 0, width(o.dims)}, o.dims[0], o.dims[2], o.dims[1].Mul(o.dims[3]))
	}
	return o.flat
}

// width returns the number of elements of all heads in one step, 0 if unknown.
func width(headed []dim.Dim) int64 {
	n, _ := headed[1].Mul(headed[3]).Number()
	return n
}

func transposed(at *rewrite.Node, v *rewrite.Value, perm []int64) *rewrite.Value {
	d := v.Type().Dims
	dims := make([]dim.Dim, len(perm))
	for i, p := range perm {
		dims[i] = d[p]
	}
	return insertOne(at, "Transpose", tensorType(v, dims...), []*rewrite.Value{v}, graphops.IntsAttribute("perm", perm))
}

// shapedAs reshapes a value. 0 in target copies the size.
func shapedAs(at *rewrite.Node, v *rewrite.Value, target []int64, dims ...dim.Dim) *rewrite.Value {
	to := at.Graph().NewConstant(v.Name()+"_shape", tensor.FromSlice(target, int64(len(target))))
	return insertOne(at, "Reshape", tensorType(v, dims...), []*rewrite.Value{v, to})
}
