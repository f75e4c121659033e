//go:build cgo

package worker

// #include <stdlib.h>
// #include "api.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// maxLanes limits how many runs a block can make at the same time. Each needs a thread.
const maxLanes = 256

// lanes are the bindings for the runs that a block makes at the same time, one for each thread. All
// share the same inputs; each has its own outputs.
type lanes struct {
	all   []*bindings // the first one owns the inputs, which all share
	table []C.struct_lane
	// inputs and values are bound again before each run. They are empty if the inputs stay bound.
	inputs nameTable
	values **C.OrtValue

	arrivals *arrivals // of the requests that runs answer; nil if runs simply follow each other
}

// newLanes returns count lanes: first, which it takes ownership of, and further bindings with the
// same inputs. With copyInputs each run binds its inputs again.
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

// rebind makes each run bind the feeds again. It copies their names and values to arrays that
// run_block reads.
func (l *lanes) rebind(feeds []*feed) {
	n := len(feeds)
	if n == 0 {
		return
	}
	l.inputs = newNameTable(feedNames(feeds))
	l.values = (**C.OrtValue)(C.malloc(C.size_t(n) * C.size_t(unsafe.Sizeof(uintptr(0)))))
	for i, f := range feeds {
		unsafe.Slice(l.values, n)[i] = f.value
	}
	for i := range l.table {
		l.table[i].inputs, l.table[i].names, l.table[i].values = C.size_t(n), l.inputs.table, l.values
	}
}

func (l *lanes) release() {
	for _, b := range l.all {
		b.release()
	}
	l.inputs.free()
	C.free(unsafe.Pointer(l.values))
	*l = lanes{}
}
