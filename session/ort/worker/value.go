//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"fmt"
	"unsafe"

	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
)

// feed is an input on its way into the runtime's memory.
type feed struct {
	lib    *library
	name   string
	shape  []int64
	sink   *wire.Sink  // where its bytes go
	value  *C.OrtValue // nil for strings until finish
	isText bool
}

// newFeed makes room for a tensor. Numbers are received straight into a tensor
// that the runtime allocated: one too large for this machine is its error, not
// the end of the worker.
func (l *library) newFeed(v *wire.Value) (*feed, error) {
	dtype := tensor.DType(v.GetDtype())
	elements, err := tensor.Elements(v.GetDims())
	if err != nil {
		return nil, fmt.Errorf("input %q: %w", v.GetName(), err)
	}
	f := &feed{lib: l, name: v.GetName(), shape: v.GetDims(), isText: dtype == tensor.String}
	if f.isText {
		f.sink, err = stringSink(elements, v.GetBytes())
	} else {
		err = f.allocate(dtype, elements, v.GetBytes())
	}
	if err != nil {
		f.release()
		return nil, fmt.Errorf("input %q: %w", v.GetName(), err)
	}
	return f, nil
}

func stringSink(elements, size int64) (*wire.Sink, error) {
	if size < elements {
		return nil, fmt.Errorf("%d bytes cannot hold %d strings", size, elements)
	}
	return wire.NewSink(size)
}

func (f *feed) allocate(dtype tensor.DType, elements, size int64) error {
	want, err := dtype.ByteLen(elements)
	if err != nil {
		return err
	}
	if size != want {
		return fmt.Errorf("%s %s takes %d bytes, %d were announced", dtype, tensor.FormatShape(f.shape), want, size)
	}
	if f.value, err = f.lib.newTensor(dtype, f.shape); err != nil {
		return fmt.Errorf("making room for %d bytes: %w", size, err)
	}
	memory, err := tensorBytes(f.value)
	if err != nil {
		return err
	}
	if int64(len(memory)) != size {
		return fmt.Errorf("%s %s takes %d bytes, ONNX Runtime allocated %d", dtype, tensor.FormatShape(f.shape), size, len(memory))
	}
	f.sink = wire.SinkInto(memory)
	return nil
}

// finish is called once the bytes have arrived.
func (f *feed) finish() error {
	if !f.isText {
		return nil
	}
	elements, err := tensor.Elements(f.shape)
	if err != nil {
		return err
	}
	text, err := wire.DecodeStrings(f.sink.Bytes(), elements)
	if err != nil {
		return fmt.Errorf("input %q: %w", f.name, err)
	}
	if f.value, err = f.lib.newTensor(tensor.String, f.shape); err != nil {
		return fmt.Errorf("input %q: %w", f.name, err)
	}
	for i, s := range text {
		if err := setString(f.value, i, s); err != nil {
			return fmt.Errorf("input %q: %w", f.name, err)
		}
	}
	return nil
}

func (f *feed) release() {
	C.ort_ReleaseValue(f.value)
	f.value = nil
}

func releaseFeeds(feeds []*feed) {
	for _, f := range feeds {
		f.release()
	}
}

func (l *library) newTensor(dtype tensor.DType, shape []int64) (*C.OrtValue, error) {
	element, err := toElement(dtype)
	if err != nil {
		return nil, err
	}
	var value *C.OrtValue
	err = check(C.ort_CreateTensorAsOrtValue(l.allocator, (*C.int64_t)(unsafe.SliceData(shape)), C.size_t(len(shape)), element, &value))
	return value, err
}

// tensorBytes is a tensor's memory, in place: it lasts as long as the value.
func tensorBytes(value *C.OrtValue) ([]byte, error) {
	var size C.size_t
	if err := check(C.ort_GetTensorSizeInBytes(value, &size)); err != nil || size == 0 {
		return nil, err
	}
	var memory unsafe.Pointer
	if err := check(C.ort_GetTensorMutableData(value, &memory)); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(memory), size), nil
}

// setString copies s, NULs included.
func setString(value *C.OrtValue, index int, s string) error {
	var room *C.char
	if err := check(C.ort_GetResizedStringTensorElementBuffer(value, C.size_t(index), C.size_t(len(s)), &room)); err != nil {
		return err
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(room)), len(s)), s)
	return nil
}

// tensorStrings copies the elements of a string tensor.
func tensorStrings(value *C.OrtValue, count int64) ([]string, error) {
	if count == 0 {
		return nil, nil
	}
	var size C.size_t
	if err := check(C.ort_GetStringTensorDataLength(value, &size)); err != nil {
		return nil, err
	}
	text := make([]byte, size+1) // never empty, so that it has an address
	offsets := make([]C.size_t, count, count+1)
	err := check(C.ort_GetStringTensorContent(value, unsafe.Pointer(&text[0]), size, &offsets[0], C.size_t(count)))
	if err != nil {
		return nil, err
	}
	offsets = append(offsets, size)
	elements := make([]string, count)
	for i := range elements {
		elements[i] = string(text[offsets[i]:offsets[i+1]])
	}
	return elements, nil
}
