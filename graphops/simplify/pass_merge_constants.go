package simplify

import (
	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

var mergeConstants = &pass{
	name:   "merge-constants",
	title:  "two consecutive Adds, or two consecutive Muls, of constants become one",
	reason: "sums and products may be grouped in any way: integers give the same bits, for other numbers only rounding differs",
	ops:    []string{"Add", "Sub", "Mul", "Div"},
	node: func(j *job, n *rewrite.Node) string {
		outer, ok := operationOf(n)
		if !ok || outer.x.Producer() == nil {
			return ""
		}
		m := outer.x.Producer()
		inner, ok := operationOf(m)
		if !ok || inner.adds() != outer.adds() {
			return ""
		}
		why := "its output is also read elsewhere"
		switch {
		case m.Out(0).Reader() != n || m.Graph() != n.Graph():
		case crowded(m) || crowded(n):
			why = tooMany
		default:
			why = j.merge(inner, outer)
		}
		if why != "" {
			j.refuse(m, why)
			return ""
		}
		return "two of " + m.Op() + " and " + n.Op()
	},
}

// maxMerged is the maximum number of elements of constants that are merged, which happens in
// memory.
const maxMerged = 1 << 18

// operation is a node that computes with a value and a constant: x+c, x-c, c-x, x·c, or, except
// for integers, x/c.
type operation struct {
	node  *rewrite.Node
	x, c  *rewrite.Value
	first bool // x is the first operand
}

// operationOf returns the operation that a node computes. Before version 7, inputs were broadcast
// differently.
func operationOf(n *rewrite.Node) (operation, bool) {
	if !n.Is("Add", "Sub", "Mul", "Div") || len(n.Inputs()) != 2 || n.Out(0) == nil || n.Graph().Opset(graphops.DefaultDomain) < 7 {
		return operation{}, false
	}
	o := operation{node: n, x: n.In(0), c: n.In(1), first: true}
	if o.c.Constant() == nil {
		o.x, o.c, o.first = o.c, o.x, false
	}
	if o.x == nil || o.c.Constant() == nil || o.x.Constant() != nil {
		return o, false
	}
	switch o.c.Constant().DType().Kind() {
	case tensor.KindFloat:
		return o, n.Op() != "Div" || o.first
	case tensor.KindSigned, tensor.KindUnsigned:
		return o, n.Op() != "Div"
	}
	return o, false
}

// adds reports whether the operation is a sum or difference, and not a product or quotient.
func (o operation) adds() bool { return o.node.Op() == "Add" || o.node.Op() == "Sub" }

// turns reports whether the operation is c-x.
func (o operation) turns() bool { return o.node.Op() == "Sub" && !o.first }

// merge replaces two operations by one, or returns the reason why it cannot.
func (j *job) merge(inner, outer operation) (why string) {
	a, okA := inner.c.Small(maxMerged)
	b, okB := outer.c.Small(maxMerged)
	if !okA || !okB {
		return "its constants are too large"
	}
	op, turned := outer.mergedOp(inner)
	c, why := mergedConstant(inner, outer, a, b)
	if why != "" {
		return why
	}
	t := graphops.NewTensorOf(outer.c.Name(), c)
	size, _ := t.ByteLen()
	growth := size - freed(inner.node) - freed(outer.node)
	if !j.grow(growth) {
		return tooLarge(growth)
	}
	v := outer.c.Graph().NewStored(t)
	operands := []*rewrite.Value{inner.x, v}
	if turned {
		operands = []*rewrite.Value{v, inner.x}
	}
	n := outer.node.Graph().Insert(outer.node, rewrite.Spec{
		Op: op, Inputs: operands, Types: typesOf(outer.node), For: []*rewrite.Node{outer.node, inner.node},
	})
	if !outer.node.Out(0).ReplaceWith(n.Out(0)) {
		n.Remove()
		j.grow(-growth)
		return "its output is an output of the graph that cannot be replaced"
	}
	outer.node.Remove()
	inner.node.Remove()
	return ""
}

// mergedOp returns the operator that replaces two consecutive operations, and whether its first
// operand is the constant.
func (o operation) mergedOp(inner operation) (op string, turned bool) {
	switch {
	case o.adds() && o.turns() != inner.turns():
		return "Sub", true
	case o.adds():
		return "Add", false
	case o.node.Op() == "Div" && inner.node.Op() == "Div":
		return "Div", false
	}
	return "Mul", false
}

// mergedConstant returns the constant for two consecutive operations.
func mergedConstant(inner, outer operation, a, b tensor.Tensor) (c tensor.Tensor, why string) {
	shape := a.Shape
	if tensor.Broadcasts(a.Shape, b.Shape) {
		shape = b.Shape
	} else if !tensor.Broadcasts(b.Shape, a.Shape) {
		return c, "one constant for both would be larger"
	}
	var by tensor.Combination
	switch innerSubtracts := inner.node.Op() == "Sub" && inner.first; {
	case outer.adds():
		// ±(±x ± a) ± b: a has the sign with which the outer operation uses x.
		by = tensor.Combination{Op: tensor.Sum, NegateA: innerSubtracts != outer.turns(), NegateB: outer.node.Op() == "Sub" && outer.first}
	case inner.node.Op() == outer.node.Op():
		by.Op = tensor.Product
	case outer.node.Op() == "Div":
		by.Op = tensor.Quotient // x·a/b
	default:
		by.Op = tensor.Quotient
		a, b = b, a // x/a·b
	}
	c, err := tensor.Combine(a, b, shape, by)
	if err != nil {
		return c, err.Error()
	}
	return c, ""
}
