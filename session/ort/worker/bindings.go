//go:build cgo

package worker

// #include <stdlib.h>
// #include "api.h"
import "C"

import (
	"fmt"
	"unsafe"

	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
)

// bindings is an OrtIoBinding: the inputs that a run reads and the memory for the outputs that it
// writes.
type bindings struct {
	handle *C.OrtIoBinding
	feeds  []*feed // owned, because runs read their memory
	ports  []wire.Port
	memory *C.OrtMemoryInfo  // memory for the outputs that can be on a device
	places **C.OrtMemoryInfo // memory of each port's output; an array in C memory
	names  nameTable         // of the ports
	fence  *fence            // what a run waits for at its end, or nil
}

// bind binds feeds as inputs, and the outputs ports to a kind of memory. It takes ownership of
// feeds. The runtime allocates the memory of an output in the first run, when its size is known.
// Later runs write to the same memory if the runtime allows that (see struct lane in api.h).
func (s *session) bind(feeds []*feed, ports []wire.Port, memory *C.OrtMemoryInfo) (*bindings, error) {
	b := &bindings{feeds: feeds, ports: ports, memory: memory}
	if err := s.checkFeeds(feeds); err != nil {
		b.release()
		return nil, err
	}
	if err := finishAll(feeds); err != nil {
		b.release()
		return nil, err
	}
	if err := b.attach(s); err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}

func (b *bindings) attach(s *session) error {
	if err := check(C.ort_CreateIoBinding(s.handle, &b.handle)); err != nil {
		return err
	}
	for _, f := range b.feeds {
		if f.isEmptyOptional() {
			return fmt.Errorf("input %q: an optional without a value cannot be bound", f.name)
		}
		name, err := cString(f.name)
		if err != nil {
			return err
		}
		err = check(C.ort_BindInput(b.handle, name, f.value))
		C.free(unsafe.Pointer(name))
		if err != nil {
			return fmt.Errorf("input %q: %w", f.name, err)
		}
	}
	if err := b.attachFence(s); err != nil {
		return err
	}
	b.names = newNameTable(portNames(b.ports))
	b.places = s.placesOf(b.ports, b.memory)
	for i, name := range b.names.entries() {
		if err := check(C.ort_BindOutputToDevice(b.handle, name, unsafe.Slice(b.places, b.names.count)[i])); err != nil {
			return fmt.Errorf("output %q: %w", b.ports[i].Name, err)
		}
	}
	return nil
}

// placesOf returns a C array with the memory to which each output is bound. Tensors of numbers are
// bound to memory. Strings, sequences, maps and optionals are always bound to host memory, because
// ONNX Runtime crashes if they are bound to device memory.
func (s *session) placesOf(ports []wire.Port, memory *C.OrtMemoryInfo) **C.OrtMemoryInfo {
	const pointer = C.size_t(unsafe.Sizeof(uintptr(0)))
	// one element more than needed, so that malloc is never called with 0
	places := (**C.OrtMemoryInfo)(C.malloc(C.size_t(len(ports)+1) * pointer))
	for i, p := range ports {
		at := memory
		if !fitsDevice(p) {
			at = s.lib.host
		}
		unsafe.Slice(places, len(ports))[i] = at
	}
	return places
}

func fitsDevice(p wire.Port) bool {
	return p.Kind == "tensor" && p.DType != tensor.String
}

// lane returns a lane that runs on this binding. A lane (struct lane in api.h) is one of the runs
// that a block makes at the same time. The inputs stay bound between its runs.
func (b *bindings) lane() C.struct_lane {
	l := C.struct_lane{binding: b.handle, outputs: C.size_t(b.names.count), output_names: b.names.table, memory: b.places}
	if b.fence != nil {
		l.env, l.fence, l.fence_copy = b.fence.env, b.fence.onDevice, b.fence.onHost
	}
	return l
}

func (b *bindings) release() {
	C.ort_ReleaseIoBinding(b.handle)
	b.names.free()
	C.free(unsafe.Pointer(b.places))
	b.fence.release()
	b.fence = nil
	b.handle, b.names, b.places = nil, nameTable{}, nil
	releaseFeeds(b.feeds)
}

// outputs returns the values that the last run on b wrote.
func (b *bindings) outputs(lib *library) ([]*output, error) {
	var values **C.OrtValue
	var count C.size_t
	if err := check(C.ort_GetBoundOutputValues(b.handle, lib.allocator, &values, &count)); err != nil {
		return nil, err
	}
	defer lib.free(unsafe.Pointer(values))
	outputs := make([]*output, 0, count)
	for i, value := range unsafe.Slice(values, count) {
		outputs = append(outputs, &output{lib: lib, name: b.ports[i].Name, kind: b.ports[i].Kind, value: value})
	}
	return outputs, nil
}
