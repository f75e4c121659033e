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

// bindings are the values that a run reads, and the names of those it leaves.
type bindings struct {
	handle *C.OrtIoBinding
	feeds  []*feed // owned, since runs read their memory
	ports  []*wire.Port
	memory *C.OrtMemoryInfo  // where the outputs go that can be on a device
	places **C.OrtMemoryInfo // of each port, an array in C's memory
	names  nameTable         // of the ports
}

// bind takes ownership of feeds. Outputs are bound to memory of a kind, which the
// runtime allocates in the first run, whatever their type and size. Further runs write
// to the same memory where the runtime allows that (api.h, struct lane).
func (s *session) bind(feeds []*feed, ports []*wire.Port, memory *C.OrtMemoryInfo) (*bindings, error) {
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
	b.names = newNameTable(portNames(b.ports))
	b.places = s.placesOf(b.ports, b.memory)
	for i, name := range b.names.entries() {
		if err := check(C.ort_BindOutputToDevice(b.handle, name, unsafe.Slice(b.places, b.names.count)[i])); err != nil {
			return fmt.Errorf("output %q: %w", b.ports[i].GetName(), err)
		}
	}
	return nil
}

// placesOf is where each output goes. Strings, sequences, maps and optionals have no elements
// that a device could hold: ONNX Runtime crashes if their memory is a device's.
func (s *session) placesOf(ports []*wire.Port, memory *C.OrtMemoryInfo) **C.OrtMemoryInfo {
	const pointer = C.size_t(unsafe.Sizeof(uintptr(0)))
	places := (**C.OrtMemoryInfo)(C.malloc(C.size_t(len(ports)+1) * pointer)) // of no ports it has an address, too
	for i, p := range ports {
		at := memory
		if !fitsDevice(p) {
			at = s.lib.host
		}
		unsafe.Slice(places, len(ports))[i] = at
	}
	return places
}

func fitsDevice(p *wire.Port) bool {
	return p.GetKind() == "tensor" && tensor.DType(p.GetDtype()) != tensor.String
}

// lane is the binding alone, with inputs as they are bound.
func (b *bindings) lane() C.struct_lane {
	return C.struct_lane{binding: b.handle, outputs: C.size_t(b.names.count), output_names: b.names.table, memory: b.places}
}

func (b *bindings) release() {
	C.ort_ReleaseIoBinding(b.handle)
	b.names.free()
	C.free(unsafe.Pointer(b.places))
	b.handle, b.names, b.places = nil, nameTable{}, nil
	releaseFeeds(b.feeds)
}

// outputs takes the values that the last run on b left.
func (b *bindings) outputs(lib *library) ([]*output, error) {
	var values **C.OrtValue
	var count C.size_t
	if err := check(C.ort_GetBoundOutputValues(b.handle, lib.allocator, &values, &count)); err != nil {
		return nil, err
	}
	defer lib.free(unsafe.Pointer(values))
	outputs := make([]*output, 0, count)
	for i, value := range unsafe.Slice(values, count) {
		outputs = append(outputs, &output{lib: lib, name: b.ports[i].GetName(), kind: b.ports[i].GetKind(), value: value})
	}
	return outputs, nil
}
