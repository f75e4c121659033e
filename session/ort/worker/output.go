//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
)

// output is an output value of a run. Its elements are in the runtime's memory.
type output struct {
	lib   *library
	name  string
	kind  string // "tensor", or the declared type of any other value
	value *C.OrtValue
}

func releaseOutputs(outputs []*output) {
	for _, o := range outputs {
		C.ort_ReleaseValue(o.value)
	}
}

// contents is the description of an output, as it is announced to the client, and the tensors that
// the output consists of.
type contents struct {
	announced *wire.Value
	tensors   []placed
	copies    []*C.OrtValue // parts that the runtime copied out and that have to be released here
}

// placed is a tensor of an output and its position, in the notation of graphops.Value.Tensors. Its
// elements are in the runtime's memory.
type placed struct {
	at     string
	tensor tensor.Tensor
}

// open returns the contents of the output, without copying elements. The caller has to call close.
func (o *output) open() (*contents, error) {
	c := &contents{}
	announced, err := c.describe(o.lib, o.value, o.kind, "", 0)
	if err != nil {
		c.close()
		return nil, err
	}
	announced.Name = o.name
	c.announced = announced
	return c, nil
}

func (c *contents) close() {
	for _, value := range c.copies {
		C.ort_ReleaseValue(value)
	}
}

// describe returns the description of a value and adds its tensors to c. kind is the type with
// which the value was declared, and at its position in the output.
func (c *contents) describe(lib *library, value *C.OrtValue, kind, at string, depth int) (*wire.Value, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("a value is nested deeper than %d levels", maxDepth)
	}
	if typ, err := graphops.ParseType(kind); err == nil && typ.Kind == graphops.TypeOptional {
		return c.describeOptional(lib, value, typ, at, depth)
	}
	var what C.ONNXType
	if err := check(C.ort_GetValueType(value, &what)); err != nil {
		return nil, err
	}
	switch what {
	case kindTensor:
		return c.describeTensor(value, at)
	case kindSequence:
		return c.describeItems(lib, value, kind, depth, func(i int) string { return fmt.Sprintf("%s[%d]", at, i) })
	case kindMap:
		return c.describeItems(lib, value, kind, depth, func(i int) string { return at + [...]string{".keys", ".values"}[i] })
	}
	// The C API cannot read the elements of the remaining kinds.
	if kind == kindNameTensor {
		var err error
		if kind, err = undeclaredKind(value, what); err != nil {
			return nil, err
		}
	}
	return &wire.Value{Kind: kind, Bare: true}, nil
}

// undeclaredKind returns the kind of a value that was declared as a tensor and is not one: ONNX Runtime
// infers a tensor for the output of a Constant whose value is sparse.
func undeclaredKind(value *C.OrtValue, what C.ONNXType) (string, error) {
	if what != kindSparse {
		return "", fmt.Errorf("a value of ONNX Runtime's kind %d, where a tensor was declared, cannot be read", what)
	}
	var info *C.OrtTensorTypeAndShapeInfo
	if err := check(C.ort_GetTensorTypeAndShape(value, &info)); err != nil {
		return "", err
	}
	defer C.ort_ReleaseTensorTypeAndShapeInfo(info)
	var element C.ONNXTensorElementDataType
	if err := check(C.ort_GetTensorElementType(info, &element)); err != nil {
		return "", err
	}
	return fmt.Sprintf("sparse(%s)", fromElement(element)), nil
}

func (c *contents) describeOptional(lib *library, value *C.OrtValue, typ graphops.Type, at string, depth int) (*wire.Value, error) {
	out := &wire.Value{Kind: typ.String()}
	var has C.int
	if err := check(C.ort_HasValue(value, &has)); err != nil || has == 0 {
		return out, err
	}
	item, err := c.describe(lib, value, heldBy(typ), at, depth+1)
	if err != nil {
		return nil, err
	}
	out.Items = []wire.Value{*item}
	return out, nil
}

// heldBy returns the kind of what a value of type typ contains: the elements of a sequence, the
// content of an optional, or the values of a map.
func heldBy(typ graphops.Type) string {
	if typ.Of == nil || typ.Of.Kind == graphops.TypeTensor {
		return kindNameTensor
	}
	return typ.Of.String()
}

func (c *contents) describeItems(lib *library, value *C.OrtValue, kind string, depth int, at func(int) string) (*wire.Value, error) {
	typ, err := graphops.ParseType(kind)
	if err != nil {
		return nil, err
	}
	var count C.size_t
	if err := check(C.ort_GetValueCount(value, &count)); err != nil {
		return nil, err
	}
	out := &wire.Value{Kind: kind}
	for i := range int(count) {
		var item *C.OrtValue
		if err := check(C.ort_GetValue(value, C.int(i), lib.allocator, &item)); err != nil {
			return nil, err
		}
		c.copies = append(c.copies, item)
		held := kindNameTensor // both parts of a map are tensors
		if typ.Kind == graphops.TypeSequence {
			held = heldBy(typ)
		}
		described, err := c.describe(lib, item, held, at(i), depth+1)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, *described)
	}
	return out, nil
}

func (c *contents) describeTensor(value *C.OrtValue, at string) (*wire.Value, error) {
	var info *C.OrtTensorTypeAndShapeInfo
	if err := check(C.ort_GetTensorTypeAndShape(value, &info)); err != nil {
		return nil, err
	}
	defer C.ort_ReleaseTensorTypeAndShapeInfo(info)
	var element C.ONNXTensorElementDataType
	if err := check(C.ort_GetTensorElementType(info, &element)); err != nil {
		return nil, err
	}
	dims, err := dimensions(info)
	if err != nil {
		return nil, err
	}
	t := tensor.Tensor{DType: fromElement(element), Shape: dims}
	if !t.DType.Valid() {
		return nil, fmt.Errorf("ONNX Runtime's element type %d is not known to this lathe", element)
	}
	count, err := tensor.Elements(dims)
	if err != nil {
		return nil, err // a shape with a 0 can have any other size beside it
	}
	if t.DType == tensor.String {
		t.Strings, err = tensorStrings(value, count)
	} else {
		t.Data, err = tensorBytes(value)
	}
	c.tensors = append(c.tensors, placed{at, t})
	return &wire.Value{Kind: kindNameTensor, DType: t.DType, Dims: dims}, err
}
