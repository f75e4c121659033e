//go:build cgo

package worker

// #include "api.h"
import "C"

import "fmt"

// fence is a value of one element on a device, and its copy on the host. The end of the copy is the
// end of all work that the device was given before (see struct lane in api.h).
type fence struct {
	env              *C.OrtEnv
	allocator        *C.OrtAllocator
	onDevice, onHost *C.OrtValue
}

// attachFence gives b a fence if its outputs are in the memory of a plug-in's device. ONNX Runtime
// waits for its own providers.
func (b *bindings) attachFence(s *session) error {
	if s.plug == nil || b.memory == s.lib.host || b.fence != nil {
		return nil
	}
	f := &fence{env: s.lib.env}
	if err := f.create(s, b.memory); err != nil {
		f.release()
		return fmt.Errorf("memory of the device to wait for its work: %w", err)
	}
	b.fence = f
	return nil
}

func (f *fence) create(s *session, memory *C.OrtMemoryInfo) error {
	if err := check(C.ort_CreateAllocator(s.handle, memory, &f.allocator)); err != nil {
		return err
	}
	shape, float32Type := C.int64_t(1), C.ONNXTensorElementDataType(1)
	if err := check(C.ort_CreateTensorAsOrtValue(f.allocator, &shape, 1, float32Type, &f.onDevice)); err != nil {
		return err
	}
	return check(C.ort_CreateTensorAsOrtValue(s.lib.allocator, &shape, 1, float32Type, &f.onHost))
}

func (f *fence) release() {
	if f == nil {
		return
	}
	C.ort_ReleaseValue(f.onDevice)
	C.ort_ReleaseValue(f.onHost)
	C.ort_ReleaseAllocator(f.allocator)
}
