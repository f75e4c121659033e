package graphops

import (
	"iter"

	"lathe/graphops/fieldnum"
)

// Graphs walks over the main graph and every body below it, outer before
// inner, and then over the content of each function in the same way.
func (m *Model) Graphs() iter.Seq[*Graph] {
	return func(yield func(*Graph) bool) {
		if !walkGraphs(m.graph, yield) {
			return
		}
		for _, f := range m.functions {
			if !walkGraphs(f.graph, yield) {
				return
			}
		}
	}
}

// walkGraphs visits a graph and the bodies below it. Its depth is bounded by
// the decoder.
func walkGraphs(g *Graph, yield func(*Graph) bool) bool {
	if !yield(g) {
		return false
	}
	for _, n := range g.nodes {
		for _, body := range n.Graphs() {
			if !walkGraphs(body, yield) {
				return false
			}
		}
	}
	return true
}

// AllNodes walks over every node: the main graph's, those of bodies, those of
// functions.
func (m *Model) AllNodes() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for g := range m.Graphs() {
			for _, n := range g.nodes {
				if !yield(n) {
					return
				}
			}
		}
	}
}

// Tensors walks over every tensor that the model stores: initializers, the two
// halves of sparse ones, and the values of attributes.
func (m *Model) Tensors() iter.Seq[*Tensor] { return m.tensors((*Node).tensors) }

// ExternalTensors walks over those whose elements lie in another file. Nodes
// that hold one were decoded ahead, so that no other is looked through.
func (m *Model) ExternalTensors() iter.Seq[*Tensor] {
	return func(yield func(*Tensor) bool) {
		for t := range m.tensors((*Node).decodedTensors) {
			if t.IsExternal() && !yield(t) {
				return
			}
		}
	}
}

func (m *Model) tensors(of func(*Node) []*Tensor) iter.Seq[*Tensor] {
	return func(yield func(*Tensor) bool) {
		for g := range m.Graphs() {
			for _, t := range g.initializers {
				if !yield(t) {
					return
				}
			}
			for _, s := range g.sparse {
				for _, t := range s.halves() {
					if !yield(t) {
						return
					}
				}
			}
		}
		for n := range m.AllNodes() {
			for _, t := range of(n) {
				if !yield(t) {
					return
				}
			}
		}
	}
}

// tensors are the tensors in the node's attributes. Nodes without any, nearly
// all, cost a scan of their bytes and no allocation.
func (n *Node) tensors() []*Tensor {
	if n.attrs == nil && !headHoldsTensor(n.head) {
		return nil
	}
	return tensorsIn(n.Attributes())
}

func (n *Node) decodedTensors() []*Tensor { return tensorsIn(n.attrs) }

func tensorsIn(attrs []*Attribute) []*Tensor {
	var out []*Tensor
	for _, a := range attrs {
		out = append(out, a.Tensors()...)
		out = append(out, a.sparse.halves()...)
		for _, s := range a.sparses {
			out = append(out, s.halves()...)
		}
	}
	return out
}

func headHoldsTensor(head []byte) bool {
	for f := range fieldsOf(head) {
		if f.num != fieldnum.NodeAttribute {
			continue
		}
		for a := range fieldsOf(f.value) {
			if a.num == fieldnum.AttrT || a.num == fieldnum.AttrTensors {
				return true
			}
		}
	}
	return false
}

// Captured are the names that a graph uses and does not define: the values that
// a body takes from around it, in the order of first use.
func (g *Graph) Captured() []string {
	x := g.Index()
	if len(x.captured) == 0 {
		return nil
	}
	out := make([]string, len(x.captured))
	for i, v := range x.captured {
		out[i] = x.names[v]
	}
	return out
}

// Captured are the names that the node's bodies take from around them.
func (n *Node) Captured() []string {
	if n.attrs == nil {
		return nil
	}
	var out []string
	seen := map[string]bool{}
	for _, g := range n.Graphs() {
		for _, name := range g.Captured() {
			if !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out
}
