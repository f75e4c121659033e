package torch

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// parts maps the complex types, for which ONNX has few operators, to the type of their parts.
var parts = map[tensor.DType]tensor.DType{tensor.C64: tensor.F32, tensor.C128: tensor.F64}

// AsReal returns a value in the form that exporters use: a complex tensor becomes its real and
// imaginary parts along a new last axis.
func AsReal(v graphops.Value) graphops.Value {
	t := v.Tensor
	part, ok := parts[t.DType]
	if !ok {
		return v
	}
	return graphops.TensorValue(tensor.Tensor{DType: part, Shape: append(slices.Clone(t.Shape), 2), Data: t.Data})
}

// Fed returns a value of a model in the form that PyTorch takes for this argument: parts become a
// complex tensor.
func (l Leaf) Fed(v graphops.Value) graphops.Value {
	t := v.Tensor
	for whole, part := range parts {
		if whole.String() == l.Type && t.DType == part && len(t.Shape) == len(l.Shape)+1 {
			return graphops.TensorValue(tensor.Tensor{DType: whole, Shape: t.Shape[:len(l.Shape)], Data: t.Data})
		}
	}
	return v
}

// Fits reports whether an argument can be an input of this type.
func (l Leaf) Fits(t graphops.Type) bool {
	rank := len(l.Shape)
	for whole, part := range parts {
		if whole.String() == l.Type {
			return t.Elem == part && len(t.Shape) == rank+1
		}
	}
	return t.Elem.String() == l.Type && len(t.Shape) == rank
}
