package graphops

import (
	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// ValueInfo names a value and tells its type.
type ValueInfo struct {
	name string
	head []byte // the serialized ValueInfoProto
}

// NewValueInfo makes a value info; an unknown type is left out.
func NewValueInfo(name string, t Type) *ValueInfo {
	head := appendString(nil, fieldnum.ValueName, name)
	if b := encodeType(t); b != nil {
		head = appendBytes(head, fieldnum.ValueType, b)
	}
	return &ValueInfo{name: name, head: head}
}

// Name is the value's name.
func (v *ValueInfo) Name() string { return v.name }

// Type decodes the value's type.
func (v *ValueInfo) Type() Type {
	b, ok := joinedMessage(v.head, fieldnum.ValueType)
	if !ok {
		return Type{}
	}
	return decodeType(b)
}

// Doc is the value's doc_string.
func (v *ValueInfo) Doc() string { return lastString(v.head, fieldnum.ValueDoc) }

// Metadata are the value's metadata_props.
func (v *ValueInfo) Metadata() []Entry { return entriesOf(v.head, fieldnum.ValueMetadata) }

// WithName is the value info under another name.
func (v *ValueInfo) WithName(name string) *ValueInfo {
	return &ValueInfo{name: name, head: append(appendString(nil, fieldnum.ValueName, name), without(v.head, fieldnum.ValueName)...)}
}

// WithType is the value info with another type. What the old one says of the
// meaning of the value stays, and of its axes if the new one has as many.
func (v *ValueInfo) WithType(t Type) *ValueInfo {
	head := without(v.head, fieldnum.ValueType)
	if b := encodeType(t); b != nil {
		old, _ := joinedMessage(v.head, fieldnum.ValueType)
		head = appendBytes(head, fieldnum.ValueType, withDenotations(b, old))
	}
	return &ValueInfo{name: v.name, head: head}
}

// WithDim is the value info with one dimension of its tensor type replaced.
// Everything else about the type stays as it was written, denotations included.
// A value that is no tensor of that rank is returned as it is.
func (v *ValueInfo) WithDim(axis int, d Dim) *ValueInfo {
	t := v.Type()
	if axis < 0 || axis >= len(t.Shape) {
		return v
	}
	kind := fieldnum.TypeTensor
	if t.Kind == TypeSparse {
		kind = fieldnum.TypeSparse
	}
	i := -1
	head := patch(v.head, fieldnum.ValueType, func(typ []byte) []byte {
		return patch(typ, kind, func(tt []byte) []byte {
			return patch(tt, fieldnum.TypeShape, func(shape []byte) []byte {
				return patch(shape, fieldnum.ShapeDim, func(dim []byte) []byte {
					if i++; i != axis {
						return dim
					}
					return appendDim(without(dim, fieldnum.DimValue, fieldnum.DimParam), d)
				})
			})
		})
	})
	return &ValueInfo{name: v.name, head: head}
}

// patch copies a message with the content of every occurrence of a field
// changed by f. What is no well-formed message stays as it is.
func patch(b []byte, num protowire.Number, f func([]byte) []byte) []byte {
	if checkFields(b) != nil {
		return b
	}
	var out []byte
	for fd := range fieldsOf(b) {
		if fd.num == num && fd.typ == protowire.BytesType {
			out = appendBytes(out, num, f(fd.value))
			continue
		}
		out = append(out, fd.whole...)
	}
	return out
}
