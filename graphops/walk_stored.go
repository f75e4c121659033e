package graphops

import "iter"

// StoredTensor is a tensor and where the model keeps it.
type StoredTensor struct {
	*Tensor
	Place *Place
	// Constant is the name of the constant that the tensor is, or is half of; ""
	// for a tensor in an attribute of the node at position Node, else -1.
	Constant  string
	Node      int
	Attribute string
}

// StoredTensors walks over what Tensors does, in the same order, and tells where
// each stands.
func (m *Model) StoredTensors() iter.Seq[StoredTensor] {
	return func(yield func(StoredTensor) bool) {
		for _, p := range m.Places() {
			if !p.constants(yield) {
				return
			}
		}
		for _, p := range m.Places() {
			for i, n := range p.Graph.nodes {
				if !p.attributes(i, n, yield) {
					return
				}
			}
		}
	}
}

func (p *Place) constants(yield func(StoredTensor) bool) bool {
	for _, t := range p.Graph.initializers {
		if !yield(StoredTensor{t, p, t.name, -1, ""}) {
			return false
		}
	}
	for _, s := range p.Graph.sparse {
		for _, t := range s.halves() {
			if !yield(StoredTensor{t, p, s.Name(), -1, ""}) {
				return false
			}
		}
	}
	return true
}

func (p *Place) attributes(i int, n *Node, yield func(StoredTensor) bool) bool {
	if n.attrs == nil && !headHoldsTensor(n.head) {
		return true
	}
	for _, a := range n.Attributes() {
		for _, t := range tensorsIn([]*Attribute{a}) {
			if !yield(StoredTensor{t, p, "", i, a.name}) {
				return false
			}
		}
	}
	return true
}
