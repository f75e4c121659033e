package edit

import (
	"slices"

	"lathe/graphops"
)

// effect says what the change of an attribute can affect.
type effect int

const (
	onValues   effect = iota // no types
	onShapes                 // shapes
	onElements               // shapes and element types
)

// doubt returns which recorded types the effect may have made wrong.
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

// effectOf returns what the types of values that depend on a node may take from one of its
// attributes. For an unknown operator, everything may be affected.
func effectOf(m *graphops.Model, n *graphops.Node, a *graphops.Attribute) effect {
	if callsFunction(m, n) {
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
	case graphops.HoldsElementType(n, a.Name()), kind == graphops.AttrTensor, n.OpType() == "Constant":
		return onElements
	case number && n.OpType() != "Upsample":
		// the first Upsample has its scale as two floats; no other operator takes a shape from a
		// single float
		return onValues
	default:
		return onShapes
	}
}

// machineLearning is the domain of the standard operators for classical models.
const machineLearning = "ai.onnx.ml"

// callsFunction reports whether a node calls a function of the model. Such a function takes
// precedence over an operator with the same name.
func callsFunction(m *graphops.Model, n *graphops.Node) bool {
	return slices.ContainsFunc(m.Functions(), func(f *graphops.Function) bool { return f.Key() == n.Calls() })
}
