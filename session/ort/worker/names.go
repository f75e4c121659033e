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

// cString copies a name for C and refuses a NUL, at which C would cut it. The caller frees it.
func cString(s string) (*C.char, error) {
	if strings.ContainsRune(s, 0) {
		return nil, fmt.Errorf("%q holds a NUL character, which ONNX Runtime cannot take", s)
	}
	return C.CString(s), nil
}

// nameTable is an array of names in C memory. The names are those of a loaded model, which cannot
// contain a NUL.
type nameTable struct {
	table **C.char
	count int
}

func newNameTable(names []string) nameTable {
	const pointer = C.size_t(unsafe.Sizeof(uintptr(0)))
	// one more, so that the array is never empty
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

func portNames(ports []*wire.Port) []string {
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = p.GetName()
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
