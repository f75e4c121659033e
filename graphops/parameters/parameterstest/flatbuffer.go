// Package parameterstest writes files of stored tensors for tests, including invalid ones.
package parameterstest

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Table is a table of a FlatBuffer by field numbers. A value is a bool, int32, int64, float32,
// string, []byte, []int64, []string, Table or []Table, or one of the types below, for things that
// no other writer would write.
type Table map[int]any

// Offset is a value that is written as it is, in place of the offset of an object: a planted fault.
type Offset uint32

// Claim is a list that claims another length than it has.
type Claim struct {
	Length uint32
	Data   []byte
}

// Shared is a value to which all users of this pointer refer.
type Shared struct{ Value any }

// reference is an offset that must still be written.
type reference struct {
	at    int
	value any
}

// writer writes objects after those that refer to them: offsets point forward.
type writer struct {
	b       []byte
	waiting []reference
	shared  []reference
}

// FlatBuffer writes a buffer with an identifier.
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

// object writes an object, and the offset at from that refers to it.
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
		w.b = append(w.b, 0, 0, 0, 0) // so that elements start at a multiple of 8
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

// list writes a list whose elements are elsewhere.
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

// table writes the list of fields followed by the table.
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
