//go:build cgo

package worker

// #include <stdlib.h>
// #include "api.h"
import "C"

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"unsafe"

	"lathe/session/ort/wire"
)

// hostMemory is how the runtime names the host's.
const hostMemory = "Cpu"

// deviceMemory is how the runtime names the memory of a provider's device; where
// a provider has no entry it works in the host's memory.
var deviceMemory = map[string]string{"cuda": "Cuda", "tensorrt": "Cuda", "nvtensorrtrtx": "Cuda"}

// outputMemory is where the outputs of bound runs go. What it gives belongs to
// the session.
func (s *session) outputMemory(onDevice bool) (*C.OrtMemoryInfo, error) {
	if !onDevice {
		return s.lib.host, nil
	}
	if s.device != nil {
		return s.device, nil
	}
	name, ok := deviceMemory[s.provider]
	if !ok {
		return s.lib.host, nil // the device is the host
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

// deviceOf is the device that a provider was told to use, else the first.
func deviceOf(p *wire.Provider) int {
	n, err := strconv.ParseInt(p.GetOptions()["device_id"], 10, 32)
	if err != nil {
		return 0
	}
	return int(n)
}

func (s *server) memoryJob(memory *wire.Memory) *job {
	return &job{release: func() {}, run: func(ctx context.Context) (*wire.Reply, error) {
		// What the worker itself let go of is no part of what a model takes: its heap is
		// used again from here, and does not grow from look to look.
		runtime.GC()
		own, _ := memoryUsage() // zeros where the system does not tell
		use := &wire.MemoryUse{PeakBytes: own.peak, ResidentBytes: own.whole}
		_, err := s.withSession(ctx, memory.GetSession(), func(target *session) error {
			kinds := []string{hostMemory}
			if name, ok := deviceMemory[target.provider]; ok {
				kinds = append(kinds, name)
			}
			for _, kind := range kinds {
				statistics, err := target.statistics(kind)
				if err != nil {
					return err
				}
				if len(statistics) > 0 {
					use.Allocators = append(use.Allocators, &wire.Allocator{Memory: kind, Statistics: statistics})
				}
			}
			return nil
		})
		return &wire.Reply{Body: &wire.Reply_MemoryUse{MemoryUse: use}}, err
	}}
}

// statistics are what the session's allocator of one kind of memory counts; none
// where it does not count.
func (s *session) statistics(kind string) (map[string]int64, error) {
	device := s.deviceID
	if kind == hostMemory {
		device = 0
	}
	info, err := newMemoryInfo(kind, device)
	if err != nil {
		return nil, err
	}
	defer C.ort_ReleaseMemoryInfo(info)
	var allocator *C.OrtAllocator
	if err := check(C.ort_CreateAllocator(s.handle, info, &allocator)); err != nil {
		return nil, err
	}
	defer C.ort_ReleaseAllocator(allocator)
	var pairs *C.OrtKeyValuePairs
	err = check(C.ort_AllocatorGetStats(allocator, &pairs))
	var status *statusError
	if errors.As(err, &status) {
		return nil, nil // this allocator does not know the question
	}
	defer C.ort_ReleaseKeyValuePairs(pairs)
	return numbersOf(pairs), nil
}

// numbersOf reads pairs whose values are whole numbers.
func numbersOf(pairs *C.OrtKeyValuePairs) map[string]int64 {
	var keys, values **C.char
	var count C.size_t
	C.ort_GetKeyValuePairs(pairs, &keys, &values, &count)
	out := map[string]int64{}
	for i, key := range unsafe.Slice(keys, count) {
		text := C.GoString(unsafe.Slice(values, count)[i])
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			out[C.GoString(key)] = n
		}
	}
	return out
}
