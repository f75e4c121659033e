//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"fmt"

	"lathe/graphops/tensor"
)

// lastShared is the last element type whose number in ONNX Runtime (ONNXTensorElementDataType) is
// the same as in ONNX (TensorProto.DataType). For later types the numbers differ.
const lastShared = tensor.F4E2M1

var beyond = map[C.ONNXTensorElementDataType]tensor.DType{24: tensor.U2, 25: tensor.I2, 26: tensor.F8E8M0}

// takesONNX is set if the library accepts ONNX's numbers for all element types when it creates a
// tensor. Releases before 1.31 do, although they report their own numbers (observed with 1.24.3 and
// 1.30.0). The variable is global because a process opens only one library.
var takesONNX bool

// askNumbers sets takesONNX. It creates a tensor of four elements with the type number 24. If these
// are FLOAT8E8M0, ONNX's type with this number, the tensor has four bytes. If they are 2-bit
// integers, the runtime's own type with this number, it has one byte.
func (l *library) askNumbers() {
	const at, elements = 24, 4
	shape := [...]C.int64_t{elements}
	var value *C.OrtValue
	if check(C.ort_CreateTensorAsOrtValue(l.allocator, &shape[0], 1, at, &value)) != nil {
		takesONNX = true // an old release that does not know the type that it takes the number for
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
