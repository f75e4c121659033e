//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"fmt"
	"unsafe"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
)

// maxDepth is how deep an announced value may be nested.
const maxDepth = 8

// feed is an input value while it arrives from the client and is converted to a value of the
// runtime.
type feed struct {
	lib   *library
	name  string
	kind  string // as announced
	dtype tensor.DType
	shape []int64
	items []*feed
	sink  *wire.Sink  // receives the bytes of a tensor
	value *C.OrtValue // nil until finish, except for tensors of numbers
}

// newFeed prepares to receive a value. The bytes of a numeric tensor are received directly into
// memory that the runtime allocates. If the tensor is too large for this machine, newFeed returns
// the runtime's error, and the worker continues.
func (l *library) newFeed(v wire.Value, depth int) (*feed, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	}
	f := &feed{lib: l, name: v.Name, kind: v.Kind, dtype: v.DType, shape: v.Dims}
	if f.kind == kindNameTensor {
		if err := f.allocate(v.Bytes); err != nil {
			f.release()
			return nil, err
		}
		return f, nil
	}
	for i, item := range v.Items {
		made, err := l.newFeed(item, depth+1)
		if err != nil {
			f.release()
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		f.items = append(f.items, made)
	}
	return f, nil
}

// sinks returns the sinks that receive the bytes of the value, in the order in which these are
// sent.
func (f *feed) sinks() []*wire.Sink {
	if f.kind == kindNameTensor {
		return []*wire.Sink{f.sink}
	}
	var out []*wire.Sink
	for _, item := range f.items {
		out = append(out, item.sinks()...)
	}
	return out
}

func (f *feed) allocate(size int64) (err error) {
	elements, err := tensor.Elements(f.shape)
	if err != nil {
		return err
	}
	if f.dtype == tensor.String {
		if size < elements {
			return fmt.Errorf("%d bytes cannot hold %d strings", size, elements)
		}
		f.sink, err = wire.NewSink(size)
		return err
	}
	want, err := f.dtype.ByteLen(elements)
	if err != nil {
		return err
	}
	if size != want {
		return fmt.Errorf("%s %s takes %d bytes, %d were announced", f.dtype, tensor.FormatShape(f.shape), want, size)
	}
	if f.value, err = f.lib.newTensor(f.dtype, f.shape); err != nil {
		return fmt.Errorf("allocating %d bytes: %w", size, err)
	}
	memory, err := tensorBytes(f.value)
	if err != nil {
		return err
	}
	if int64(len(memory)) != size {
		return fmt.Errorf("%s %s takes %d bytes, ONNX Runtime allocated %d", f.dtype, tensor.FormatShape(f.shape), size, len(memory))
	}
	f.sink = wire.SinkInto(memory)
	return nil
}

// finish creates the runtime's value after all bytes have arrived. depth is 0 for an input and
// higher for an item inside one.
func (f *feed) finish(depth int) error {
	if f.kind == kindNameTensor {
		return f.finishText()
	}
	typ, err := graphops.ParseType(f.kind)
	if err != nil {
		return err
	}
	for i, item := range f.items {
		if err := item.finish(depth + 1); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	switch {
	case typ.Kind == graphops.TypeOptional && len(f.items) == 1:
		f.value, f.items[0].value = f.items[0].value, nil // an optional with a value is its content
		return nil
	case typ.Kind == graphops.TypeMap && len(f.items) == 2:
		return f.join(kindMap)
	case typ.Kind == graphops.TypeSequence && len(f.items) > 0:
		return f.join(kindSequence)
	case typ.Kind == graphops.TypeSequence:
		f.value, err = f.lib.emptySequence(typ)
		return err
	case typ.Kind == graphops.TypeOptional && len(f.items) == 0 && depth == 0:
		return nil // expressed by not feeding the input
	}
	return fmt.Errorf("a value of type %s cannot have %d items", typ, len(f.items))
}

// join creates a sequence or a map from the items of the feed. The runtime copies them.
func (f *feed) join(kind C.ONNXType) error {
	parts := make([]*C.OrtValue, len(f.items))
	for i, item := range f.items {
		parts[i] = item.value
	}
	// The parts are in the runtime's memory, so the only Go memory behind the pointer is the list
	// itself.
	return check(C.ort_CreateValue((**C.OrtValue)(unsafe.Pointer(&parts[0])), C.size_t(len(parts)), kind, &f.value))
}

func (f *feed) finishText() error {
	if f.dtype != tensor.String {
		return nil
	}
	elements, err := tensor.Elements(f.shape)
	if err != nil {
		return err
	}
	text, err := wire.DecodeStrings(f.sink.Bytes(), elements)
	if err != nil {
		return err
	}
	if f.value, err = f.lib.newTensor(tensor.String, f.shape); err != nil {
		return err
	}
	for i, s := range text {
		if err := setString(f.value, i, s); err != nil {
			return err
		}
	}
	return nil
}

// tensor returns the tensor that has arrived, without copying its elements. It returns an error if
// the value is not a tensor.
func (f *feed) tensor() (tensor.Tensor, error) {
	t := tensor.Tensor{DType: f.dtype, Shape: f.shape}
	if f.kind != kindNameTensor {
		return t, fmt.Errorf("a value of type %s, where a tensor is expected", f.kind)
	}
	if f.dtype != tensor.String {
		t.Data = f.sink.Bytes()
		return t, nil
	}
	elements, err := tensor.Elements(f.shape)
	if err != nil {
		return t, err
	}
	t.Strings, err = wire.DecodeStrings(f.sink.Bytes(), elements)
	return t, err
}

// isEmptyOptional reports whether the value is an optional without content. The C API has no value
// for this; it is expressed by not feeding the input.
func (f *feed) isEmptyOptional() bool {
	typ, err := graphops.ParseType(f.kind)
	return f.kind != kindNameTensor && err == nil && typ.Kind == graphops.TypeOptional && len(f.items) == 0
}

func finishAll(feeds []*feed) error {
	for _, f := range feeds {
		if err := f.finish(0); err != nil {
			return fmt.Errorf("input %q: %w", f.name, err)
		}
	}
	return nil
}

func (f *feed) release() {
	C.ort_ReleaseValue(f.value)
	f.value = nil
	releaseFeeds(f.items)
}

func releaseFeeds(feeds []*feed) {
	for _, f := range feeds {
		f.release()
	}
}
