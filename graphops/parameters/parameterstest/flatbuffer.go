// Package parameterstest writes files with named tensors for tests. The files may be invalid on
// purpose.
package parameterstest

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Table is a table of a FlatBuffer: it maps field numbers to values. A value is a bool, int32,
// int64, float32, string, []byte, []int64, []string, Table or []Table. It can also be one of the
// types below, which produce invalid or unusual files.
type Table map[int]any

// Offset is written in place of the offset to an object, so that the offset leads to a wrong
// position.
type Offset uint32

// Claim is a list whose stored length is wrong: it is Length, not that of Data.
type Claim struct {
	Length uint32
	Data   []byte
}

// Shared is an object that is written once, although several fields refer to it. These fields have
// the same pointer.
type Shared struct{ Value any }

// reference is the position of an offset that is written when the object's position is known.
type reference struct {
	at    int
	value any
}

// writer writes the objects of a FlatBuffer. An object comes after all objects that refer to it,
// because offsets point forward.
type writer struct {
	b       []byte
	waiting []reference
	shared  []reference
}

// FlatBuffer returns a buffer with the given file identifier and root table.
func FlatBuffer(identifier string, root Table) []byte {
	w := &writer{b: append(make([]byte, 4), identifier...)}
	w.refer(0, root)
	written := map[*Shared]int{}
	for len(w.waiting)+len(w.shared) > 0 {
		list := &w.waiting
		if len(*list) == 0 {
			list = &w.shared
		}
		r := (*list)[0]
		*list = (*list)[1:]
		if s, ok := r.value.(*Shared); ok {
			if at, ok := written[s]; ok {
				w.patch(r.at, at)
				continue
			}
			written[s] = w.object(r.at, s.Value)
			continue
		}
		w.object(r.at, r.value)
	}
	return w.b
}

func (w *writer) refer(at int, value any) {
	if _, ok := value.(*Shared); ok {
		w.shared = append(w.shared, reference{at, value})
		return
	}
	w.waiting = append(w.waiting, reference{at, value})
}

func (w *writer) patch(at, to int) { binary.LittleEndian.PutUint32(w.b[at:], uint32(to-at)) }

func (w *writer) align(n int) {
	for len(w.b)%n != 0 {
		w.b = append(w.b, 0)
	}
}

func (w *writer) u32(v uint32) { w.b = binary.LittleEndian.AppendUint32(w.b, v) }

// object writes an object and returns its position. It also writes the offset at position from,
// which refers to it.
func (w *writer) object(from int, value any) int {
	w.align(8)
	at := len(w.b)
	switch v := value.(type) {
	case Table:
		at = w.table(v)
	case string:
		w.u32(uint32(len(v)))
		w.b = append(append(w.b, v...), 0)
	case []byte:
		w.b = append(w.b, 0, 0, 0, 0) // padding, so that the elements start at a multiple of 8
		at = len(w.b)
		w.u32(uint32(len(v)))
		w.b = append(w.b, v...)
	case Claim:
		w.u32(v.Length)
		w.b = append(w.b, v.Data...)
	case []int64:
		w.b = append(w.b, 0, 0, 0, 0)
		at = len(w.b)
		w.u32(uint32(len(v)))
		for _, x := range v {
			w.b = binary.LittleEndian.AppendUint64(w.b, uint64(x))
		}
	default:
		w.list(v)
	}
	w.patch(from, at)
	return at
}

// list writes a list of objects. The objects themselves are written later.
func (w *writer) list(value any) {
	var elements []any
	switch v := value.(type) {
	case []Table:
		for _, x := range v {
			elements = append(elements, x)
		}
	case []string:
		for _, x := range v {
			elements = append(elements, x)
		}
	case []any:
		elements = v
	default:
		panic(fmt.Sprintf("parameterstest: a %T is no value of a table", value))
	}
	w.u32(uint32(len(elements)))
	for _, x := range elements {
		w.refer(len(w.b), x)
		w.u32(0)
	}
}

// table writes a table and, before it, the list of its fields (vtable). It returns the table's
// position.
func (w *writer) table(t Table) int {
	ids := slices.Sorted(maps.Keys(t))
	fields := 0
	if len(ids) > 0 {
		fields = ids[len(ids)-1] + 1
	}
	list := len(w.b)
	w.b = append(w.b, make([]byte, 4+2*fields)...)
	w.align(8)
	at := len(w.b)
	w.u32(uint32(at - list))
	for _, id := range ids {
		w.align(8)
		binary.LittleEndian.PutUint16(w.b[list+4+2*id:], uint16(len(w.b)-at))
		w.scalar(t[id])
	}
	binary.LittleEndian.PutUint16(w.b[list:], uint16(4+2*fields))
	binary.LittleEndian.PutUint16(w.b[list+2:], uint16(len(w.b)-at))
	return at
}

func (w *writer) scalar(value any) {
	switch v := value.(type) {
	case bool:
		if w.b = append(w.b, 0); v {
			w.b[len(w.b)-1] = 1
		}
	case int32:
		w.u32(uint32(v))
	case int64:
		w.b = binary.LittleEndian.AppendUint64(w.b, uint64(v))
	case float32:
		w.u32(math.Float32bits(v))
	case Offset:
		w.u32(uint32(v))
	default:
		w.refer(len(w.b), v)
		w.u32(0)
	}
}
