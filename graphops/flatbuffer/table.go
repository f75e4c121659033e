package flatbuffer

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math"
)

// maxFields is the number of fields of a table that can be read. Further fields are ignored.
const maxFields = 16

// Table is a table in a buffer. All fields of the zero Table are absent.
type Table struct {
	b     *Buffer
	at    int64
	slots [maxFields]uint16 // positions of the fields in the table, 0 if absent
	size  int64
}

// table reads the table at a position. what is its name for errors.
func (b *Buffer) table(at int64, what string) Table {
	if b.err == nil && !b.inside(at, 4) {
		b.fail("%s at byte %d lies outside the file, which has %d bytes", what, at, b.size)
	}
	t := Table{b: b, at: at}
	fields := at - int64(int32(b.u32(at)))
	if b.err == nil && !b.inside(fields, 4) {
		b.fail("%s at byte %d has its list of fields at byte %d, outside the file", what, at, fields)
	}
	n := int64(b.u16(fields))
	t.size = int64(b.u16(fields + 2))
	switch {
	case b.err != nil:
		return Table{b: b}
	case n < 4 || n%2 != 0 || !b.inside(fields, n):
		b.fail("%s at byte %d has a list of fields of %d bytes at byte %d", what, at, n, fields)
	case t.size < 4 || !b.inside(at, t.size):
		b.fail("%s at byte %d is %d bytes long, but the file has %d", what, at, t.size, b.size)
	}
	b.charge(t.size)
	if b.tables++; b.tables > maxTables {
		b.fail("the file has more than %d tables", maxTables)
	}
	known := min(n-4, 2*maxFields)
	if b.err != nil {
		return Table{b: b}
	}
	for i, raw := 0, b.read(fields+4, known); int64(2*i) < known; i++ {
		t.slots[i] = binary.LittleEndian.Uint16(raw[2*i:])
	}
	return t
}

// field returns the position of the field with the number id, which has n bytes. ok is false if it
// is absent.
func (t Table) field(id int, n int64) (at int64, ok bool) {
	slot := int64(t.slots[id])
	if slot == 0 || t.b.err != nil {
		return 0, false
	}
	if slot < 4 || slot+n > t.size {
		t.b.fail("field %d of the table at byte %d is at byte %d of the table, which has %d bytes", id, t.at, slot, t.size)
		return 0, false
	}
	return t.at + slot, true
}

// Bool returns the field with the number id; false if it is absent.
func (t Table) Bool(id int) bool {
	at, ok := t.field(id, 1)
	return ok && t.b.read(at, 1)[0] != 0
}

// Int32 returns the field with the number id; 0 if it is absent.
func (t Table) Int32(id int) int32 {
	at, ok := t.field(id, 4)
	if !ok {
		return 0
	}
	return int32(t.b.u32(at))
}

// Int64 returns the field with the number id; the given default if it is absent.
func (t Table) Int64(id int, absent int64) int64 {
	at, ok := t.field(id, 8)
	if !ok {
		return absent
	}
	return int64(t.b.u64(at))
}

// Float32 returns the field with the number id; 0 if it is absent.
func (t Table) Float32(id int) float32 { return math.Float32frombits(uint32(t.Int32(id))) }

// String returns the field with the number id; "" if it is absent.
func (t Table) String(id int) string {
	at, ok := t.field(id, 4)
	if !ok {
		return ""
	}
	return t.b.str(t.b.follow(at))
}

// Table returns the field with the number id. ok is false if it is absent.
func (t Table) Table(id int) (_ Table, ok bool) {
	at, ok := t.field(id, 4)
	if !ok {
		return Table{b: t.b}, false
	}
	return t.b.table(t.b.follow(at), "the table"), true
}

// Vector returns the field with the number id, whose elements have size bytes each. ok is false if
// it is absent.
func (t Table) Vector(id int, size int64) (_ Vector, ok bool) {
	at, ok := t.field(id, 4)
	if !ok {
		return Vector{b: t.b}, false
	}
	to := t.b.follow(at)
	v := Vector{b: t.b, Offset: to + 4, Len: int64(t.b.u32(to))}
	if t.b.err == nil && v.Len > (t.b.size-v.Offset)/size {
		t.b.fail("a list of %d elements of %d bytes at byte %d extends beyond the end of the file, which has %d bytes", v.Len, size, to, t.b.size)
	}
	t.b.charge(4 + v.Len*size)
	if t.b.err != nil {
		return Vector{b: t.b}, false
	}
	return v, true
}

// Vector is a vector of Len elements. Offset is the position of the first element in the file.
type Vector struct {
	b      *Buffer
	Offset int64
	Len    int64
}

// places returns the positions to which the offsets in a vector lead. It reads many offsets at
// once, because what they lead to is read in between.
func (v Vector) places() iter.Seq[int64] {
	const many = windowBytes / 4
	return func(yield func(int64) bool) {
		for from := int64(0); from < v.Len; from += many {
			offsets := bytes.Clone(v.b.read(v.Offset+4*from, 4*min(many, v.Len-from)))
			for i := 0; i < len(offsets) && v.b.err == nil; i += 4 {
				at := v.Offset + 4*from + int64(i)
				if !yield(v.b.leads(at, binary.LittleEndian.Uint32(offsets[i:]))) {
					return
				}
			}
		}
	}
}

// Tables returns the tables in a vector. It ends at the first error.
func (v Vector) Tables() iter.Seq[Table] {
	return func(yield func(Table) bool) {
		for at := range v.places() {
			t := v.b.table(at, "the table")
			if v.b.err != nil || !yield(t) {
				return
			}
		}
	}
}

// Strings returns the strings in a vector. It ends at the first error.
func (v Vector) Strings() iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := range v.places() {
			s := v.b.str(at)
			if v.b.err != nil || !yield(s) {
				return
			}
		}
	}
}

// Int64s returns the elements of a vector of 64-bit integers. Callers must check Len before,
// because it holds all of them.
func (v Vector) Int64s() []int64 {
	out := make([]int64, v.Len)
	for i := range out {
		out[i] = int64(v.b.u64(v.Offset + 8*int64(i)))
	}
	return out
}
