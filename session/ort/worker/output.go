//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"fmt"

	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
)

// output is a result in the runtime's memory.
type output struct {
	port  *wire.Port
	value *C.OrtValue
}

func releaseOutputs(outputs []*output) {
	for _, o := range outputs {
		C.ort_ReleaseValue(o.value)
	}
}

// describe returns the announcement of the output and the bytes that follow.
// The bytes of numbers are the runtime's own memory.
func (o *output) describe() (*wire.Value, []byte, error) {
	announced := &wire.Value{Name: o.port.GetName(), Kind: o.port.GetKind()}
	if o.port.GetKind() != "tensor" {
		return announced, nil, nil
	}
	var info *C.OrtTensorTypeAndShapeInfo
	if err := check(C.ort_GetTensorTypeAndShape(o.value, &info)); err != nil {
		return nil, nil, err
	}
	defer C.ort_ReleaseTensorTypeAndShapeInfo(info)
	var element C.ONNXTensorElementDataType
	if err := check(C.ort_GetTensorElementType(info, &element)); err != nil {
		return nil, nil, err
	}
	dims, err := dimensions(info)
	if err != nil {
		return nil, nil, err
	}
	dtype := fromElement(element)
	if !dtype.Valid() {
		return nil, nil, fmt.Errorf("ONNX Runtime's element type %d is not known to this lathe", element)
	}
	announced.Dtype, announced.Dims = int32(dtype), dims
	content, err := o.content(dtype, dims)
	announced.Bytes = int64(len(content))
	return announced, content, err
}

func (o *output) content(dtype tensor.DType, dims []int64) ([]byte, error) {
	if dtype != tensor.String {
		return tensorBytes(o.value)
	}
	count, err := tensor.Elements(dims)
	if err != nil {
		return nil, err
	}
	text, err := tensorStrings(o.value, count)
	return wire.EncodeStrings(text), err
}
