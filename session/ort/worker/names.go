//go:build cgo

package worker

// #include <stdlib.h>
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"lathe/session/ort/wire"
)

// cString returns a copy of a name in C memory, which the caller has to free. It returns an error
// if the name contains a NUL character, because C would cut it there.
func cString(s string) (*C.char, error) {
	if strings.ContainsRune(s, 0) {
		return nil, fmt.Errorf("%q holds a NUL character, which ONNX Runtime cannot take", s)
	}
	return C.CString(s), nil
}

// nameTable is an array of names in C memory. They are names of inputs or outputs of a loaded model
// and therefore contain no NUL characters.
type nameTable struct {
	table **C.char
	count int
}

func newNameTable(names []string) nameTable {
	const pointer = C.size_t(unsafe.Sizeof(uintptr(0)))
	// one element more than needed, so that malloc is never called with 0
	t := nameTable{(**C.char)(C.malloc(C.size_t(len(names)+1) * pointer)), len(names)}
	for i, name := range names {
		t.entries()[i] = C.CString(name)
	}
	return t
}

func (t nameTable) entries() []*C.char { return unsafe.Slice(t.table, t.count) }

func (t nameTable) free() {
	for _, name := range t.entries() {
		C.free(unsafe.Pointer(name))
	}
	C.free(unsafe.Pointer(t.table))
}

func portNames(ports []wire.Port) []string {
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = p.Name
	}
	return names
}

func feedNames(feeds []*feed) []string {
	names := make([]string, len(feeds))
	for i, f := range feeds {
		names[i] = f.name
	}
	return names
}
