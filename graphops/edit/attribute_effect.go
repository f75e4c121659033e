package edit

import (
	"slices"

	"lathe/graphops"
)

// effect is how far the change of an attribute reaches.
type effect int

const (
	onValues   effect = iota // no type depends on it
	onShapes                 // shapes may
	onElements               // element types may, too
)

// doubt is what the effect may have falsified.
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

// effectOf tells what the types behind a node may take from an attribute of it.
// Of an operator that is not known nothing is known either.
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
		return onValues // the first Upsample scaled by two floats; no other operator makes a shape of one
	default:
		return onShapes
	}
}

// machineLearning is the domain of the standard operators for classical models.
const machineLearning = "ai.onnx.ml"

// callsFunction reports whether a node is one of a function of the model, which
// goes before an operator of that name.
func callsFunction(m *graphops.Model, n *graphops.Node) bool {
	return slices.ContainsFunc(m.Functions(), func(f *graphops.Function) bool { return f.Key() == n.Calls() })
}
