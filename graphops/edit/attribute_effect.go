package edit

import (
	"lathe/graphops"
)

// effect says what can change if an attribute changes. A later effect includes the earlier ones.
type effect int

const (
	onValues   effect = iota // no types
	onShapes                 // shapes
	onElements               // shapes and element types
)

// doubt returns which parts of recorded types may be wrong after such a change.
func (x effect) doubt() doubt {
	switch x {
	case onElements:
		return doubt{elem: true, outputs: true, shape: unlike}
	case onShapes:
		return doubt{shape: unlike}
	default:
		return doubt{}
	}
}

// effectOf returns what an attribute of a node can affect. For an unknown operator, it can affect
// everything.
func effectOf(m *graphops.Model, n *graphops.Node, a *graphops.Attribute) effect {
	if m.Callee(n) != nil {
		return onElements
	}
	number := a.Kind() == graphops.AttrFloat
	switch n.Domain() {
	case graphops.DefaultDomain:
	case machineLearning:
		if number {
			return onValues
		}
		return onElements
	default:
		return onElements
	}
	switch kind := a.Kind(); {
	case graphops.HoldsElementType(n, a.Name()), kind == graphops.AttrTensor, n.Is("Constant"):
		return onElements
	case number && n.OpType() != "Upsample":
		// Upsample-1 has its scales as single floats; no other operator derives a shape from a
		// single float
		return onValues
	default:
		return onShapes
	}
}

// machineLearning is the domain of the standard operators for classical machine learning.
const machineLearning = "ai.onnx.ml"
