//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"fmt"

	"lathe/graphops/tensor"
)

// ONNX Runtime's ONNXTensorElementDataType has the numbers of TensorProto.DataType up
// to lastShared, and its own beyond.
const lastShared = tensor.F4E2M1

var beyond = map[C.ONNXTensorElementDataType]tensor.DType{24: tensor.U2, 25: tensor.I2, 26: tensor.F8E8M0}

// takesONNX is set where a tensor is made by ONNX's number of its type, also beyond
// lastShared: releases before 1.31 take those numbers and tell the others (seen with
// 1.24.3 and 1.30.0). A process opens one library.
var takesONNX bool

// askNumbers makes four elements of number 24. As 2-bit integers they take a byte;
// a FLOAT8E8M0, which ONNX has there, takes one for each.
func (l *library) askNumbers() {
	const at, elements = 24, 4
	shape := [...]C.int64_t{elements}
	var value *C.OrtValue
	if check(C.ort_CreateTensorAsOrtValue(l.allocator, &shape[0], 1, at, &value)) != nil {
		takesONNX = true // an old release, which does not know the type that it takes it for
		return
	}
	defer C.ort_ReleaseValue(value)
	var size C.size_t
	takesONNX = check(C.ort_GetTensorSizeInBytes(value, &size)) == nil && size == elements
}

func fromElement(e C.ONNXTensorElementDataType) tensor.DType {
	if e <= C.ONNXTensorElementDataType(lastShared) {
		return tensor.DType(e)
	}
	return beyond[e]
}

func toElement(d tensor.DType) (C.ONNXTensorElementDataType, error) {
	if d.Valid() && (d <= lastShared || takesONNX) {
		return C.ONNXTensorElementDataType(d), nil
	}
	for e, known := range beyond {
		if known == d {
			return e, nil
		}
	}
	return 0, fmt.Errorf("ONNX Runtime has no tensors of type %s", d)
}
