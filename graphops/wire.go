package graphops

import (
	"fmt"
	"io"
	"iter"
	"math"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is one field of a serialized message. value is the content of a length-delimited field, or
// the encoded value of any other field.
type field struct {
	num   protowire.Number
	typ   protowire.Type
	value []byte
	whole []byte // tag, length and value
}

// fieldsOf yields the fields of a message that checkFields has accepted.
func fieldsOf(b []byte) iter.Seq[field] {
	return func(yield func(field) bool) {
		for len(b) > 0 {
			f, n := nextField(b)
			if n < 0 || !yield(f) {
				return
			}
			b = b[n:]
		}
	}
}

// nextField reads the field at the start of a message and returns its size. Most fields are short and
// length-delimited, and have one byte each for their tag and their length.
func nextField(b []byte) (field, int) {
	if len(b) > 1 && b[0] >= 1<<3 && b[0] < 1<<7 && b[0]&7 == byte(protowire.BytesType) && int(b[1]) <= min(len(b)-2, 127) {
		end := 2 + int(b[1])
		return field{protowire.Number(b[0] >> 3), protowire.BytesType, b[2:end:end], b[:end]}, end
	}
	num, typ, k := protowire.ConsumeTag(b)
	if k < 0 {
		return field{}, k
	}
	if typ == protowire.BytesType {
		v, n := protowire.ConsumeBytes(b[k:])
		if n < 0 {
			return field{}, n
		}
		return field{num, typ, v, b[:k+n]}, k + n
	}
	n := protowire.ConsumeFieldValue(num, typ, b[k:])
	if n < 0 {
		return field{}, n
	}
	return field{num, typ, b[k : k+n], b[:k+n]}, k + n
}

// checkFields checks that b is a well-formed sequence of fields.
func checkFields(b []byte) error {
	for len(b) > 0 {
		_, n := nextField(b)
		if n < 0 {
			return fmt.Errorf("malformed message: %w", io.ErrUnexpectedEOF)
		}
		b = b[n:]
	}
	return nil
}

// text returns bytes as a string that shares their memory. This is safe because nothing writes to
// these bytes after they were read. Otherwise opening a model of 200,000 nodes would need a million
// small allocations.
func text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(&b[0], len(b))
}

// lastBytes returns the content of the last occurrence of a length-delimited field, which is the
// one that counts for a singular field.
func lastBytes(b []byte, num protowire.Number) ([]byte, bool) {
	var v []byte
	found := false
	for f := range fieldsOf(b) {
		if f.num == num && f.typ == protowire.BytesType {
			v, found = f.value, true
		}
	}
	return v, found
}

// joinedMessage concatenates all occurrences of a message field, which is how protobuf merges a
// singular message that occurs more than once.
func joinedMessage(b []byte, num protowire.Number) ([]byte, bool) {
	var v []byte
	found := false
	for f := range fieldsOf(b) {
		if f.num != num || f.typ != protowire.BytesType {
			continue
		}
		if !found {
			v = f.value[:len(f.value):len(f.value)]
		} else {
			v = append(v, f.value...)
		}
		found = true
	}
	return v, found
}

func lastString(b []byte, num protowire.Number) string {
	v, _ := lastBytes(b, num)
	return text(v)
}

func lastVarint(b []byte, num protowire.Number) (int64, bool) {
	v, found := uint64(0), false
	for f := range fieldsOf(b) {
		if f.num == num && f.typ == protowire.VarintType {
			v, _ = protowire.ConsumeVarint(f.value)
			found = true
		}
	}
	return int64(v), found
}

// repeatedVarints reads a repeated integer field, packed or not.
func repeatedVarints(b []byte, num protowire.Number) []int64 {
	var out []int64
	for f := range fieldsOf(b) {
		if f.num != num || f.typ != protowire.VarintType && f.typ != protowire.BytesType {
			continue
		}
		for v := f.value; len(v) > 0; {
			x, n := protowire.ConsumeVarint(v)
			if n < 0 {
				break
			}
			out = append(out, int64(x))
			v = v[n:]
		}
	}
	return out
}

// repeatedFloats reads a repeated float field, packed or not.
func repeatedFloats(b []byte, num protowire.Number) []float32 {
	var out []float32
	for f := range fieldsOf(b) {
		if f.num != num || f.typ != protowire.Fixed32Type && f.typ != protowire.BytesType {
			continue
		}
		for v := f.value; len(v) >= 4; v = v[4:] {
			x, _ := protowire.ConsumeFixed32(v)
			out = append(out, math.Float32frombits(x))
		}
	}
	return out
}

// without returns a copy of a message without the given fields.
func without(b []byte, nums ...protowire.Number) []byte {
	out := make([]byte, 0, len(b))
next:
	for f := range fieldsOf(b) {
		for _, n := range nums {
			if f.num == n {
				continue next
			}
		}
		out = append(out, f.whole...)
	}
	return out
}

// withoutWire returns a copy of a message without the occurrences of a field that have the given
// wire type.
func withoutWire(b []byte, num protowire.Number, typ protowire.Type) []byte {
	out := make([]byte, 0, len(b))
	for f := range fieldsOf(b) {
		if f.num != num || f.typ != typ {
			out = append(out, f.whole...)
		}
	}
	return out
}

func appendString(b []byte, num protowire.Number, s string) []byte {
	b = protowire.AppendTag(b, num, protowire.BytesType)
	return protowire.AppendString(b, s)
}

func appendBytes(b []byte, num protowire.Number, v []byte) []byte {
	b = protowire.AppendTag(b, num, protowire.BytesType)
	return protowire.AppendBytes(b, v)
}

func appendVarint(b []byte, num protowire.Number, v int64) []byte {
	b = protowire.AppendTag(b, num, protowire.VarintType)
	return protowire.AppendVarint(b, uint64(v))
}

// Entry is a key and its value in metadata_props.
type Entry struct{ Key, Value string }

func decodeEntry(b []byte) Entry {
	return Entry{Key: lastString(b, 1), Value: lastString(b, 2)}
}

func appendEntry(b []byte, num protowire.Number, e Entry) []byte {
	var m []byte
	m = appendString(m, 1, e.Key)
	m = appendString(m, 2, e.Value)
	return appendBytes(b, num, m)
}

// entriesOf decodes every StringStringEntryProto in a field.
func entriesOf(b []byte, num protowire.Number) []Entry {
	var out []Entry
	for f := range fieldsOf(b) {
		if f.num == num && f.typ == protowire.BytesType {
			out = append(out, decodeEntry(f.value))
		}
	}
	return out
}
