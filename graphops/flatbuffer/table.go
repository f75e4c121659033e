package flatbuffer

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math"
)

// maxFields is how many fields of a table can be asked for.
const maxFields = 16

// Table is a table of a buffer. The zero Table has no fields.
type Table struct {
	b     *Buffer
	at    int64
	slots [maxFields]uint16 // where the fields stand in the table, 0 for one that is absent
	size  int64
}

// table reads the table at a place, named so in errors.
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
		b.fail("%s at byte %d is %d bytes long, the file has %d", what, at, t.size, b.size)
	}
	b.charge(t.size)
	if b.tables++; b.tables > MaxTables {
		b.fail("more than %d tables", MaxTables)
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

// field is where a field of n bytes stands; ok is false where it is absent.
func (t Table) field(id int, n int64) (at int64, ok bool) {
	slot := int64(t.slots[id])
	if slot == 0 || t.b.err != nil {
		return 0, false
	}
	if slot < 4 || slot+n > t.size {
		t.b.fail("field %d of the table at byte %d stands at byte %d of it, it has %d", id, t.at, slot, t.size)
		return 0, false
	}
	return t.at + slot, true
}

// Bool is a field; false where it is absent.
func (t Table) Bool(id int) bool {
	at, ok := t.field(id, 1)
	return ok && t.b.read(at, 1)[0] != 0
}

// Int32 is a field; 0 where it is absent.
func (t Table) Int32(id int) int32 {
	at, ok := t.field(id, 4)
	if !ok {
		return 0
	}
	return int32(t.b.u32(at))
}

// Int64 is a field, or what stands for one that is absent.
func (t Table) Int64(id int, absent int64) int64 {
	at, ok := t.field(id, 8)
	if !ok {
		return absent
	}
	return int64(t.b.u64(at))
}

// Float32 is a field; 0 where it is absent.
func (t Table) Float32(id int) float32 { return math.Float32frombits(uint32(t.Int32(id))) }

// String is a field; "" where it is absent.
func (t Table) String(id int) string {
	at, ok := t.field(id, 4)
	if !ok {
		return ""
	}
	return t.b.str(t.b.follow(at))
}

// Table is a field; ok is false where it is absent.
func (t Table) Table(id int) (_ Table, ok bool) {
	at, ok := t.field(id, 4)
	if !ok {
		return Table{b: t.b}, false
	}
	return t.b.table(t.b.follow(at), "the table"), true
}

// Vector is a field of elements of a size in bytes; ok is false where it is absent.
func (t Table) Vector(id int, size int64) (_ Vector, ok bool) {
	at, ok := t.field(id, 4)
	if !ok {
		return Vector{b: t.b}, false
	}
	to := t.b.follow(at)
	v := Vector{b: t.b, Offset: to + 4, Len: int64(t.b.u32(to))}
	if t.b.err == nil && v.Len > (t.b.size-v.Offset)/size {
		t.b.fail("a list of %d elements of %d bytes at byte %d leads out of the file, which has %d bytes", v.Len, size, to, t.b.size)
	}
	t.b.charge(4 + v.Len*size)
	if t.b.err != nil {
		return Vector{b: t.b}, false
	}
	return v, true
}

// Vector is a list whose elements stand one after another from Offset on.
type Vector struct {
	b      *Buffer
	Offset int64
	Len    int64
}

// places are where the offsets of a list lead to. They are read many at a time: what is
// read between two of them lies elsewhere.
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

// Tables are the tables of a list of them, until one is wrong.
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

// Strings are the strings of a list of them, until one is wrong.
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

// Int64s are the numbers of a list of them, which callers bound.
func (v Vector) Int64s() []int64 {
	out := make([]int64, v.Len)
	for i := range out {
		out[i] = int64(v.b.u64(v.Offset + 8*int64(i)))
	}
	return out
}
