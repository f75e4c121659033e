package check

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// keeper tells which nodes of a place ONNX Runtime keeps until it asks for kernels.
type keeper struct {
	*subject
	used []bool // by node: what it makes is used for more than its shape, or not at all
}

// keeperOf looks at a place. One that may be dropped as a whole keeps nothing: a
// function that nothing calls, the branch of an If that is never taken.
func keeperOf(s *subject, p *graphops.Place) keeper {
	if !s.isCalled(p) || s.isDropped(p) {
		return keeper{}
	}
	return keeper{s, usedNodes(p.Graph)}
}

// keeps reports whether the node is there for certain.
func (k keeper) keeps(n site) bool {
	return k.used != nil && k.used[n.index] && !isPass(n) && !k.isNeutral(n)
}

// usedNodes are the nodes from which a way leads to an output of the graph, or to a
// node that nothing reads, and not through Shape: ONNX Runtime knows what that makes
// without running what is before, and drops it, while it keeps a node that is of no
// use from the start.
func usedNodes(g *graphops.Graph) []bool {
	x, nodes := g.Index(), g.Nodes()
	used := make([]bool, len(nodes))
	for i, n := range slices.Backward(nodes) {
		read := false
		for _, name := range n.Outputs() {
			v, ok := x.Value(name)
			if !ok || name == "" {
				continue
			}
			readers := x.Readers(v)
			read = read || len(readers) > 0
			used[i] = used[i] || x.IsOutput(v) ||
				slices.ContainsFunc(readers, func(r int32) bool { return nodes[r].OpType() != "Shape" && used[r] })
		}
		used[i] = used[i] || !read
	}
	return used
}

// isDropped reports whether the place is in a branch that is never taken, as the
// condition of its If is known: ONNX Runtime drops that.
func (s *subject) isDropped(p *graphops.Place) bool {
	for ; p.Parent != nil; p = p.Parent {
		holder := p.Holder()
		if holder.OpType() != "If" || len(holder.Inputs()) == 0 {
			continue
		}
		condition, known := s.inferred(p.Parent, holder.Inputs()[0]).Constant()
		if known && len(condition.Data) > 0 && (condition.Data[0] != 0) != (p.Attribute == "then_branch") {
			return true
		}
	}
	return false
}

// isPass reports whether the node hands its input on, and there is a node beside it
// that can take over a name.
func isPass(n site) bool {
	if n.OpType() != "Identity" && n.OpType() != "Dropout" || len(n.Inputs()) == 0 || len(n.Outputs()) == 0 {
		return false
	}
	x := n.place.Graph.Index()
	in, known := x.Value(n.Inputs()[0])
	out, made := x.Value(n.Outputs()[0])
	return known && made && (!x.IsOutput(out) || x.Producer(in) >= 0)
}

// removable are the operators that ONNX Runtime takes out where they change nothing.
var removable = map[string]bool{"Cast": true, "Slice": true, "Expand": true, "Transpose": true, "Concat": true}

// isNeutral reports whether the node may change nothing, so that it is taken out. Adding
// 0 and multiplying by 1 are taken out too, but only of types that have kernels. A
// constant operand removes nothing: folding a node takes the kernel that is missing.
func (k keeper) isNeutral(n site) bool {
	if !removable[n.OpType()] || len(n.Inputs()) == 0 || len(n.Outputs()) == 0 {
		return false
	}
	in, out := k.inferred(n.place, n.Inputs()[0]).Type, k.inferred(n.place, n.Outputs()[0]).Type
	return in.Dims == nil || out.Dims == nil || in.Elem == out.Elem && shape.Contradiction(in, out) == "" || besideSame(n)
}

// besideSame reports whether the node reads from or is read by one of its operator,
// with which it may become one.
func besideSame(n site) bool {
	x, nodes := n.place.Graph.Index(), n.place.Graph.Nodes()
	same := func(i int) bool { return nodes[i].OpType() == n.OpType() }
	if in, ok := x.Value(n.Inputs()[0]); ok && x.Producer(in) >= 0 && same(x.Producer(in)) {
		return true
	}
	out, ok := x.Value(n.Outputs()[0])
	return ok && slices.ContainsFunc(x.Readers(out), func(i int32) bool { return same(int(i)) })
}
