//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"lathe/session/ort"
	"lathe/session/ort/wire"
)

// The kinds of values, with the numbers of ONNX Runtime's ONNXType.
const (
	kindTensor   = 1
	kindSequence = 2
	kindMap      = 3
	kindOpaque   = 4
	kindSparse   = 5
	kindOptional = 6
)

// kindNameTensor is the kind of a dense tensor in messages.
const kindNameTensor = ort.KindTensor

// describe sets the type of a port from the runtime's type information.
func describe(info *C.OrtTypeInfo, port *wire.Port) error {
	var kind C.ONNXType
	if err := check(C.ort_GetOnnxTypeFromTypeInfo(info, &kind)); err != nil {
		return err
	}
	if kind == kindTensor {
		port.Kind = kindNameTensor
		return describeTensor(info, port)
	}
	var err error
	port.Kind, err = spell(info, maxTypeDepth)
	return err
}

func describeTensor(info *C.OrtTypeInfo, port *wire.Port) error {
	var t *C.OrtTensorTypeAndShapeInfo
	if err := check(C.ort_CastTypeInfoToTensorInfo(info, &t)); err != nil {
		return err
	}
	var element C.ONNXTensorElementDataType
	if err := check(C.ort_GetTensorElementType(t, &element)); err != nil {
		return err
	}
	port.DType = fromElement(element)
	port.HasShape = bool(C.ort_TensorTypeAndShape_HasShape(t))
	dims, err := dimensions(t)
	if err != nil || len(dims) == 0 {
		return err
	}
	symbols := make([]*C.char, len(dims))
	if err := check(C.ort_GetSymbolicDimensions(t, &symbols[0], C.size_t(len(symbols)))); err != nil {
		return err
	}
	for i, dim := range dims {
		port.Dims = append(port.Dims, wire.Dim{Value: dim, Symbol: C.GoString(symbols[i])})
	}
	return nil
}

func dimensions(t *C.OrtTensorTypeAndShapeInfo) ([]int64, error) {
	var rank C.size_t
	if err := check(C.ort_GetDimensionsCount(t, &rank)); err != nil || rank == 0 {
		return nil, err
	}
	dims := make([]C.int64_t, rank)
	if err := check(C.ort_GetDimensions(t, &dims[0], rank)); err != nil {
		return nil, err
	}
	out := make([]int64, rank)
	for i, dim := range dims {
		out[i] = int64(dim)
	}
	return out, nil
}
