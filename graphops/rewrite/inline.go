package rewrite

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Inline moves the content of a body into the graph of its node, before the node, and removes the
// node with its other bodies. The outputs of the body replace those of the node. If an output of
// the graph cannot be replaced directly, Inline inserts an Identity. The node must be one that runs
// the body exactly once and without inputs, such as an If whose condition is known. If inlining is
// not possible, Inline returns false and changes nothing.
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
		if !v.IsUsed() {
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

// throughIdentity determines which outputs of a node need an Identity. Such an output is an output
// of the graph, and the value from the body cannot take its place: it is an output of the graph
// already, or it is defined around the body. ok is false if an Identity is not possible either.
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

// move moves the constants and nodes of a body in front of the node with the body. A value is
// renamed if another body has a value with the same name.
func (g *Graph) move(holder *Node) {
	to := holder.graph
	for _, v := range g.Values() {
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

// unify renames a value if another graph defines a value with the same name. Values of bodies that
// are not inside each other can have the same name.
func (m *Model) unify(v *Value) {
	if m.defines == nil {
		m.defines = map[string]int{}
		for _, g := range m.Graphs() {
			for _, v := range g.Values() {
				m.defines[v.name]++
			}
		}
	}
	if m.defines[v.name] > 1 {
		m.defines[v.name]--
		v.name = m.Names().Value(v.name)
	}
}
