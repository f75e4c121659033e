package check

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// keeper decides which nodes of a place still exist when ONNX Runtime looks for kernels.
type keeper struct {
	*subject
	used []bool // by node: its output is used for more than its shape, or is not used at all
}

// keeperOf examines a place. A place that may be dropped completely keeps nothing: a function
// that is not called, or the branch of an If that is never taken.
func keeperOf(s *subject, p *graphops.Place) keeper {
	if !s.isCalled(p) || s.isDropped(p) {
		return keeper{}
	}
	return keeper{s, usedNodes(p.Graph)}
}

// keeps reports whether the node certainly exists.
func (k keeper) keeps(n site) bool {
	return k.used != nil && k.used[n.index] && !isPass(n) && !k.isNeutral(n)
}

// usedNodes finds the nodes with a path to an output of the graph, or to a node that nothing
// reads, that does not lead through Shape. ONNX Runtime computes the result of Shape without
// running the nodes before it and drops them, but it keeps a node that was unused from the start.
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
				slices.ContainsFunc(readers, func(r int32) bool { return !nodes[r].Is("Shape") && used[r] })
		}
		used[i] = used[i] || !read
	}
	return used
}

// isDropped reports whether the place is in a branch that is never taken because the condition
// of its If is known. ONNX Runtime drops such branches.
func (s *subject) isDropped(p *graphops.Place) bool {
	for ; p.Parent != nil; p = p.Parent {
		holder := p.Holder()
		if !holder.Is("If") || len(holder.Inputs()) == 0 {
			continue
		}
		condition, known := s.inferred(p.Parent, holder.Input(0)).Constant()
		if known && len(condition.Data) > 0 && (condition.Data[0] != 0) != (p.Attribute == "then_branch") {
			return true
		}
	}
	return false
}

// isPass reports whether ONNX Runtime may remove the node because its output equals its input
// (Identity, Dropout). An output of the graph must keep its name, so a node that produces one can
// only be removed if the node before it can take over the name.
func isPass(n site) bool {
	if !n.Is("Identity") && !n.Is("Dropout") || len(n.Inputs()) == 0 || len(n.Outputs()) == 0 {
		return false
	}
	x := n.place.Graph.Index()
	in, known := x.Value(n.Input(0))
	out, made := x.Value(n.Output(0))
	return known && made && (!x.IsOutput(out) || x.Producer(in) >= 0)
}

// removable are the operators that ONNX Runtime removes if they change nothing.
var removable = map[string]bool{"Cast": true, "Slice": true, "Expand": true, "Transpose": true, "Concat": true}

// isNeutral reports whether ONNX Runtime may remove the node because it may change nothing. Adding
// 0 and multiplying by 1 are also removed, but only for types with kernels. Constant folding does
// not remove the node, because folding would need the missing kernel.
func (k keeper) isNeutral(n site) bool {
	if !removable[n.OpType()] || len(n.Inputs()) == 0 || len(n.Outputs()) == 0 {
		return false
	}
	in, out := k.inferred(n.place, n.Input(0)).Type, k.inferred(n.place, n.Output(0)).Type
	return in.Dims == nil || out.Dims == nil || in.Elem == out.Elem && shape.Contradiction(in, out) == "" || besideSame(n)
}

// besideSame reports whether a neighbour of the node has the same operator, so that they may be
// merged.
func besideSame(n site) bool {
	x, nodes := n.place.Graph.Index(), n.place.Graph.Nodes()
	same := func(i int) bool { return nodes[i].OpType() == n.OpType() }
	if in, ok := x.Value(n.Input(0)); ok && x.Producer(in) >= 0 && same(x.Producer(in)) {
		return true
	}
	out, ok := x.Value(n.Output(0))
	return ok && slices.ContainsFunc(x.Readers(out), func(i int32) bool { return same(int(i)) })
}
