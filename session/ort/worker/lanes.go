//go:build cgo

package worker

// #include <stdlib.h>
// #include "api.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// maxLanes bounds the threads of a block.
const maxLanes = 256

// lanes are the bindings that runs of a block go on at once with, each a thread's own.
type lanes struct {
	all   []*bindings // of which the first owns the feeds that all read
	table []C.struct_lane
	freed []unsafe.Pointer

	arrivals *arrivals // of the requests that runs answer; nil where runs follow each other
}

// newLanes takes ownership of a binding and makes it as many as are wanted. With copyInputs
// each run binds its inputs anew.
func (s *session) newLanes(first *bindings, count int64, copyInputs bool) (*lanes, error) {
	l := &lanes{all: []*bindings{first}}
	if count < 0 || count > maxLanes {
		l.release()
		return nil, fmt.Errorf("%d runs at once, expected 1 to %d", count, maxLanes)
	}
	for range max(count, 1) - 1 {
		b, err := s.sharing(first, first.memory)
		if err != nil {
			l.release()
			return nil, err
		}
		l.all = append(l.all, b)
	}
	for _, b := range l.all {
		l.table = append(l.table, b.lane())
	}
	if copyInputs {
		l.rebind(first.feeds)
	}
	return l, nil
}

// lane is the binding alone, with inputs as they are bound.
func (b *bindings) lane() C.struct_lane { return C.struct_lane{binding: b.handle} }

// rebind has every run bind the feeds, by arrays that C reads.
func (l *lanes) rebind(feeds []*feed) {
	n := len(feeds)
	if n == 0 {
		return
	}
	const pointer = C.size_t(unsafe.Sizeof(uintptr(0)))
	names, values := C.malloc(C.size_t(n)*pointer), C.malloc(C.size_t(n)*pointer)
	l.freed = append(l.freed, names, values)
	nameOf, valueOf := unsafe.Slice((**C.char)(names), n), unsafe.Slice((**C.OrtValue)(values), n)
	for i, f := range feeds {
		nameOf[i], valueOf[i] = C.CString(f.name), f.value
		l.freed = append(l.freed, unsafe.Pointer(nameOf[i]))
	}
	for i := range l.table {
		l.table[i].inputs, l.table[i].names, l.table[i].values = C.size_t(n), (**C.char)(names), (**C.OrtValue)(values)
	}
}

func (l *lanes) release() {
	for _, b := range l.all {
		b.release()
	}
	for _, p := range l.freed {
		C.free(p)
	}
	l.all, l.table, l.freed = nil, nil, nil
}
