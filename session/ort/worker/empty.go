//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"context"
	"fmt"
	"math"
	"unsafe"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/ort"
)

// emptyValue makes a sequence without elements or an optional without a value.
// The interface has no call for either, so a model of one node is run for it.
func (l *library) emptyValue(typ graphops.Type) (*C.OrtValue, error) {
	model, err := emptyModel(typ)
	if err != nil {
		return nil, err
	}
	options, err := plainOptions()
	if err != nil {
		return nil, err
	}
	defer options.Destroy()
	var made *C.OrtSession
	err = check(C.ort_CreateSessionFromArray(l.env, unsafe.Pointer(&model[0]), C.size_t(len(model)), optionsHandle(options.SessionOptions), &made))
	if err != nil {
		return nil, fmt.Errorf("making an empty %s: %w", typ, err)
	}
	s, err := newSession(l, made)
	if err != nil {
		return nil, err
	}
	defer s.release()
	b, err := s.bind(nil, s.outputs, l.host)
	if err != nil {
		return nil, err
	}
	defer b.release()
	if _, err := s.run(context.Background(), b, 1, math.MaxInt64); err != nil {
		return nil, fmt.Errorf("making an empty %s: %w", typ, err)
	}
	outputs, err := b.outputs(l)
	if err != nil {
		return nil, err
	}
	return outputs[0].value, nil
}

// emptyModel is a model whose only output is an empty value of a type.
func emptyModel(typ graphops.Type) ([]byte, error) {
	spec := graphops.NodeSpec{Outputs: []string{"y"}}
	switch {
	case typ.Kind == graphops.TypeOptional && typ.Of != nil:
		spec.Op = "Optional"
		spec.Attributes = []*graphops.Attribute{graphops.TypeAttribute("type", *typ.Of)}
	case typ.Kind == graphops.TypeSequence && typ.Of != nil && typ.Of.Kind == graphops.TypeTensor && typ.Of.Elem != tensor.Undefined:
		spec.Op = "SequenceEmpty"
		spec.Attributes = []*graphops.Attribute{graphops.IntAttribute("dtype", int64(typ.Of.Elem))}
	default:
		return nil, fmt.Errorf("an empty value of type %s cannot be made", typ)
	}
	base, err := graphops.Decode(ort.IdentityModel())
	if err != nil {
		return nil, err
	}
	e := graphops.Edit(base)
	e.Inputs = nil
	e.Nodes = []*graphops.Node{graphops.NewNode(spec)}
	e.Outputs = []*graphops.ValueInfo{graphops.NewValueInfo("y", typ)}
	image, err := graphops.ImageOf(e.Model())
	return image.Bytes, err
}
