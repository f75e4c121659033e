package rewrite

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Inline moves the content of a body before its node, into the graph of the node, and replaces the
// outputs of the node by those of the body, with an Identity if an output of the graph cannot be
// replaced directly. The node must be one that runs the body once without inputs, such as an If
// whose condition is known. The node is removed with its other bodies. If inlining is impossible,
// it returns false and changes nothing.
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

// throughIdentity determines which outputs of a node need an Identity: an output of the graph
// cannot be a value that is one already, nor a value defined around the body. ok is false if an
// Identity is not possible either.
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

// move moves constants and nodes of a body before its node. A value gets another name if a
// neighbouring body has a value with the same name.
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

// unify renames a value if a value of another graph has its name; this happens only between
// neighbouring graphs.
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
