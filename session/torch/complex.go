package torch

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// parts are the complex types, which ONNX has few operators on, with the type of their parts.
var parts = map[tensor.DType]tensor.DType{tensor.C64: tensor.F32, tensor.C128: tensor.F64}

// AsReal is a value as exporters have it in a model: a complex tensor becomes its real and
// imaginary parts along a last axis.
func AsReal(v graphops.Value) graphops.Value {
	t := v.Tensor
	part, ok := parts[t.DType]
	if !ok {
		return v
	}
	return graphops.TensorValue(tensor.Tensor{DType: part, Shape: append(slices.Clone(t.Shape), 2), Data: t.Data})
}

// Fed is a value of a model as PyTorch takes it for this argument: parts become a complex tensor.
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
