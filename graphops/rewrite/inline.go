package rewrite

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Inline puts what a body of the node consists of in front of the node, into its
// graph, and has everything that uses an output of the node use what the body gives
// in its place; by way of an Identity where an output of the graph cannot be that.
// The node is one that runs the body once, on no inputs, such as an If whose
// condition is known. It goes, with its other bodies. It reports false and changes
// nothing where that cannot be.
func (n *Node) Inline(body *Graph) bool {
	g := n.graph
	through, ok := n.throughIdentity(body)
	if !ok || body.holder != n || len(body.inputs) > 0 || g.IsFunction() && body.hasSparse() {
		return false
	}
	g.model.touch(n)
	for _, v := range body.outputs {
		v.outputs--
	}
	body.move(n)
	for i, v := range n.out {
		if v == nil || v.Uses() == 0 {
			continue
		}
		with := body.outputs[i]
		if through[i] {
			with = g.Insert(n, Spec{Op: "Identity", Inputs: []*Value{with}, Types: []shape.Type{v.known.Type}, For: []*Node{n}}).Out(0)
		}
		if !v.ReplaceWith(with) {
			panic("rewrite: an output of " + n.Name() + " cannot be what its body gives")
		}
	}
	n.bodies = slices.DeleteFunc(n.bodies, func(b *Graph) bool { return b == body })
	n.unlink()
	return true
}

// throughIdentity tells which outputs of a node cannot be what a body gives as it is:
// an output of the graph can be no value that is one already, nor one that stands
// around the body. It is false where an Identity would not do either.
func (n *Node) throughIdentity(body *Graph) (through []bool, ok bool) {
	if len(body.outputs) < len(n.out) {
		return nil, false
	}
	through = make([]bool, len(n.out))
	taken := map[*Value]bool{}
	for i, v := range n.out {
		if v == nil || v.outputs == 0 {
			continue
		}
		with := body.outputs[i]
		through[i] = with.graph != body || with.producer == nil || taken[with]
		taken[with] = true
		if v.outputs > 1 || through[i] && v.known.Kind != graphops.TypeTensor {
			return nil, false
		}
	}
	return through, true
}

func (g *Graph) hasSparse() bool {
	return slices.ContainsFunc(g.constants, func(v *Value) bool { return v.sparse != nil })
}

// move puts constants and nodes of a body in front of the node that holds it. What a
// body beside it calls by the same name gets another one.
func (g *Graph) move(holder *Node) {
	to := holder.graph
	for _, v := range g.defined() {
		v.graph = to
		g.model.unify(v)
	}
	to.constants = append(to.constants, g.constants...)
	for n := g.first; n != nil; {
		next := n.next
		n.Stands(holder)
		to.insertBefore(holder, n)
		g.model.touch(n)
		n = next
	}
	g.first, g.last, g.count, g.constants = nil, nil, 0, nil
}

// unify gives a value another name if a value of another graph has its name: only
// graphs beside each other can.
func (m *Model) unify(v *Value) {
	if m.defines == nil {
		m.defines = map[string]int{}
		for _, g := range m.Graphs() {
			for _, v := range g.defined() {
				m.defines[v.name]++
			}
		}
	}
	if m.defines[v.name] > 1 {
		m.defines[v.name]--
		v.name = m.names.Value(v.name)
	}
}
