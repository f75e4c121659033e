//go:build cgo

package worker

// #include <stdlib.h>
// #include "api.h"
import "C"

import (
	"fmt"
	"unsafe"

	"lathe/session/ort/wire"
)

func (s *session) readPorts() error {
	var inputs, outputs C.size_t
	if err := check(C.ort_SessionGetInputCount(s.handle, &inputs)); err != nil {
		return err
	}
	if err := check(C.ort_SessionGetOutputCount(s.handle, &outputs)); err != nil {
		return err
	}
	for i := range inputs {
		port, err := s.inputPort(i)
		if err != nil {
			return err
		}
		s.inputs = append(s.inputs, port)
	}
	for i := range outputs {
		port, err := s.outputPort(i)
		if err != nil {
			return err
		}
		s.outputs = append(s.outputs, port)
	}
	return s.readDefaults()
}

func (s *session) readDefaults() error {
	var count C.size_t
	if err := check(C.ort_SessionGetOverridableInitializerCount(s.handle, &count)); err != nil {
		return err
	}
	for i := range count {
		var name *C.char
		if err := check(C.ort_SessionGetOverridableInitializerName(s.handle, i, s.lib.allocator, &name)); err != nil {
			return err
		}
		s.defaults = append(s.defaults, C.GoString(name))
		s.lib.free(unsafe.Pointer(name))
	}
	return nil
}

func (s *session) inputPort(index C.size_t) (wire.Port, error) {
	var name *C.char
	if err := check(C.ort_SessionGetInputName(s.handle, index, s.lib.allocator, &name)); err != nil {
		return wire.Port{}, err
	}
	var info *C.OrtTypeInfo
	err := check(C.ort_SessionGetInputTypeInfo(s.handle, index, &info))
	return s.port(name, info, err)
}

func (s *session) outputPort(index C.size_t) (wire.Port, error) {
	var name *C.char
	if err := check(C.ort_SessionGetOutputName(s.handle, index, s.lib.allocator, &name)); err != nil {
		return wire.Port{}, err
	}
	var info *C.OrtTypeInfo
	err := check(C.ort_SessionGetOutputTypeInfo(s.handle, index, &info))
	return s.port(name, info, err)
}

// port describes an input or output from its name and type. It takes ownership of name and info.
// err is the error with which info was read, and is returned.
func (s *session) port(name *C.char, info *C.OrtTypeInfo, err error) (wire.Port, error) {
	defer s.lib.free(unsafe.Pointer(name))
	defer C.ort_ReleaseTypeInfo(info)
	port := wire.Port{Name: C.GoString(name)}
	if err == nil {
		err = describe(info, &port)
	}
	if err != nil {
		return wire.Port{}, fmt.Errorf("%q: %w", port.Name, err)
	}
	return port, nil
}
