package graphops

import "iter"

// StoredTensor is a dense tensor and where it is in the model.
type StoredTensor struct {
	*Tensor
	Place *Place
	// Constant is the name of the initializer or sparse initializer that the tensor is part of, and
	// Node is -1. For a tensor in an attribute, Constant is empty, Node is the index of the node,
	// and Attribute is the attribute's name.
	Constant  string
	Node      int
	Attribute string
}

// StoredTensors yields all dense tensors of the model with their positions: first the initializers
// of all places, and then the tensors in attributes.
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
	if n.attrs == nil && !headHoldsTensor(n.rest()) {
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
