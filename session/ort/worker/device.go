//go:build cgo

package worker

// #include <stdlib.h>
// #include "api.h"
import "C"

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"strconv"
	"unsafe"

	"lathe/session/ort/ep"
	"lathe/session/ort/wire"
)

// deviceMemory returns the runtime's name for the memory of a provider's device; empty if the
// provider works in host memory.
func deviceMemory(provider string) string {
	p, _ := ep.Find(provider)
	return p.Memory
}

// outputMemory returns the memory that outputs are bound to: that of the provider's device if
// onDevice is set and the provider has one, otherwise host memory. The session owns the result.
func (s *session) outputMemory(onDevice bool) (*C.OrtMemoryInfo, error) {
	if !onDevice {
		return s.lib.host, nil
	}
	if s.plug != nil {
		return cmp.Or(s.plug.memory(), s.lib.host), nil
	}
	if s.device != nil {
		return s.device, nil
	}
	name := deviceMemory(s.provider)
	if name == "" {
		return s.lib.host, nil // the provider works in host memory
	}
	memory, err := newMemoryInfo(name, s.deviceID)
	s.device = memory
	return memory, err
}

func newMemoryInfo(name string, device int) (*C.OrtMemoryInfo, error) {
	cName := C.CString(name)
	defer C.free(unsafe.Pointer(cName))
	const deviceAllocator, defaultMemory = 0, 0
	var memory *C.OrtMemoryInfo
	err := check(C.ort_CreateMemoryInfo(cName, deviceAllocator, C.int(device), defaultMemory, &memory))
	return memory, err
}

// deviceOf returns the number of the device that a provider is configured to use. The default is 0.
func deviceOf(p wire.Provider) int {
	n, err := strconv.ParseInt(p.Options["device_id"], 10, 32)
	if err != nil {
		return 0
	}
	return int(n)
}

func (s *server) memoryJob(memory *wire.Memory) *job {
	return &job{release: func() {}, run: func(ctx context.Context) (*wire.Reply, error) {
		// Collecting garbage here leaves out memory that the Go part of the worker no longer uses
		// and that has nothing to do with the model. It also keeps the heap from growing with each
		// call.
		runtime.GC()
		own, _ := memoryUsage() // zeros if the system does not report it
		use := &wire.MemoryUse{Peak: own.peak, Resident: own.whole}
		_, err := s.withSession(ctx, memory.Session, func(target *session) error {
			device, err := target.outputMemory(true)
			if err != nil {
				return err
			}
			for _, place := range []*C.OrtMemoryInfo{s.lib.host, device} {
				allocator, err := target.allocator(place)
				if err != nil {
					return err
				}
				if len(allocator.Statistics) > 0 {
					use.Allocators = append(use.Allocators, allocator)
				}
				if device == s.lib.host {
					break
				}
			}
			return nil
		})
		return &wire.Reply{MemoryUse: use}, err
	}}
}

// allocator returns the counters of the session's allocator for one kind of memory. It has none if
// the allocator does not count.
func (s *session) allocator(place *C.OrtMemoryInfo) (wire.Allocator, error) {
	var name *C.char
	if err := check(C.ort_MemoryInfoGetName(place, &name)); err != nil {
		return wire.Allocator{}, err
	}
	out := wire.Allocator{Memory: C.GoString(name)}
	var allocator *C.OrtAllocator
	if err := check(C.ort_CreateAllocator(s.handle, place, &allocator)); err != nil {
		return out, err
	}
	defer C.ort_ReleaseAllocator(allocator)
	var pairs *C.OrtKeyValuePairs
	err := check(C.ort_AllocatorGetStats(allocator, &pairs))
	var status *statusError
	if errors.As(err, &status) {
		return out, nil
	}
	defer C.ort_ReleaseKeyValuePairs(pairs)
	out.Statistics = numbersOf(pairs)
	return out, err
}

// numbersOf returns the pairs whose values are integers, by key.
func numbersOf(pairs *C.OrtKeyValuePairs) map[string]int64 {
	out := map[string]int64{}
	for key, text := range pairsOf(pairs) {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			out[key] = n
		}
	}
	return out
}
