package graphops

import (
	"iter"

	"lathe/graphops/fieldnum"
)

// Graphs yields the main graph and every body inside it, outer ones first, and then the content
// of each function in the same way.
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

// walkGraphs visits a graph and the bodies inside it. The depth is limited by the decoder.
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

// AllNodes yields every node of the main graph, of bodies and of functions.
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

// Tensors yields every dense tensor of the model: initializers, the values and indices of sparse
// tensors, and the values of attributes.
func (m *Model) Tensors() iter.Seq[*Tensor] { return m.tensors((*Node).tensors) }

// ExternalTensors yields the tensors with external data. It does not need to decode any node,
// because nodes with such tensors were decoded when the model was opened.
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

// tensors returns the tensors in the node's attributes. Most nodes have none. For these it only
// scans the serialized attributes and allocates nothing.
func (n *Node) tensors() []*Tensor {
	if n.attrs == nil && !headHoldsTensor(n.rest()) {
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

// Captured returns the names that a graph uses but does not define, in the order of first use. A
// body captures them from the graphs around it.
func (g *Graph) Captured() []string {
	x := g.Index()
	if len(x.captured) == 0 {
		return nil
	}
	out := make([]string, len(x.captured))
	for i, v := range x.captured {
		out[i] = x.ids.names[v]
	}
	return out
}

// Captured returns the names that the node's bodies capture from around them.
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
