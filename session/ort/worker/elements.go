//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"fmt"

	"lathe/graphops/tensor"
)

// ONNX Runtime numbers element types as TensorProto.DataType does, up to
// lastShared. Beyond that its releases differ: 1.24 has 2-bit integers at 24, where
// 1.30 has them as ONNX does, at 25 after FLOAT8E8M0. The numbers of a release are
// found out when its library is opened, which a process does once.
const lastShared = tensor.F4E2M1

// beyond are the types after lastShared by the library's numbers.
var beyond map[C.ONNXTensorElementDataType]tensor.DType

// The numberings that are known.
var (
	asIn24   = map[C.ONNXTensorElementDataType]tensor.DType{24: tensor.U2, 25: tensor.I2}
	asInONNX = map[C.ONNXTensorElementDataType]tensor.DType{24: tensor.F8E8M0, 25: tensor.U2, 26: tensor.I2}
)

// numberElements asks the library for four elements of type 24: 2-bit integers fill
// one byte.
func (l *library) numberElements() error {
	const at, elements = 24, 4
	shape := [...]C.int64_t{elements}
	var value *C.OrtValue
	if err := check(C.ort_CreateTensorAsOrtValue(l.allocator, &shape[0], 1, at, &value)); err != nil {
		return nil // a library without any of these types
	}
	defer C.ort_ReleaseValue(value)
	var size C.size_t
	if err := check(C.ort_GetTensorSizeInBytes(value, &size)); err != nil {
		return err
	}
	switch size {
	case 1:
		beyond = asIn24
	case elements:
		beyond = asInONNX
	}
	return nil
}

func fromElement(e C.ONNXTensorElementDataType) tensor.DType {
	if e <= C.ONNXTensorElementDataType(lastShared) {
		return tensor.DType(e)
	}
	return beyond[e]
}

func toElement(d tensor.DType) (C.ONNXTensorElementDataType, error) {
	if d.Valid() && d <= lastShared {
		return C.ONNXTensorElementDataType(d), nil
	}
	for e, known := range beyond {
		if known == d {
			return e, nil
		}
	}
	return 0, fmt.Errorf("this ONNX Runtime has no tensors of type %s", d)
}
