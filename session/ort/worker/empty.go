//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"context"
	"fmt"
	"unsafe"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/ort"
)

// emptySequence creates a sequence without elements. The C API has no function for that, so it runs
// a model with one node.
func (l *library) emptySequence(typ graphops.Type) (*C.OrtValue, error) {
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
	if err := s.runOnce(context.Background(), b); err != nil {
		return nil, fmt.Errorf("making an empty %s: %w", typ, err)
	}
	outputs, err := b.outputs(l)
	if err != nil {
		return nil, err
	}
	return outputs[0].value, nil
}

// emptyModel returns the bytes of a model without inputs whose only output is an empty sequence of
// type typ.
func emptyModel(typ graphops.Type) ([]byte, error) {
	if typ.Of == nil || typ.Of.Kind != graphops.TypeTensor || typ.Of.Elem == tensor.Undefined {
		return nil, fmt.Errorf("an empty value of type %s cannot be made", typ)
	}
	base, err := graphops.Decode(ort.IdentityModel())
	if err != nil {
		return nil, err
	}
	e := graphops.Edit(base)
	e.Inputs = nil
	e.Nodes = []*graphops.Node{graphops.NewNode(graphops.NodeSpec{
		Op: "SequenceEmpty", Outputs: []string{"y"},
		Attributes: []*graphops.Attribute{graphops.IntAttribute("dtype", int64(typ.Of.Elem))},
	})}
	e.Outputs = []*graphops.ValueInfo{graphops.NewValueInfo("y", typ)}
	image, err := graphops.ImageOf(e.Model())
	return image.Bytes, err
}
