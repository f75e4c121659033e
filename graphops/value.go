package graphops

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// ValueInfo is a value's name and type.
type ValueInfo struct {
	name string
	head []byte // the serialized ValueInfoProto
}

// NewValueInfo creates a value info. An unknown type is left out.
func NewValueInfo(name string, t Type) *ValueInfo {
	head := appendString(nil, fieldnum.ValueName, name)
	if b := encodeType(t); b != nil {
		head = appendBytes(head, fieldnum.ValueType, b)
	}
	return &ValueInfo{name: name, head: head}
}

// ValueNames returns the names of values, in order.
func ValueNames(list []*ValueInfo) []string {
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = v.name
	}
	return names
}

// Name returns the value's name.
func (v *ValueInfo) Name() string { return v.name }

// Type decodes the value's type.
func (v *ValueInfo) Type() Type {
	b, ok := joinedMessage(v.head, fieldnum.ValueType)
	if !ok {
		return Type{}
	}
	return decodeType(b)
}

// Doc returns the value's doc_string.
func (v *ValueInfo) Doc() string { return lastString(v.head, fieldnum.ValueDoc) }

// Metadata returns the value's metadata_props.
func (v *ValueInfo) Metadata() []Entry { return entriesOf(v.head, fieldnum.ValueMetadata) }

// WithName returns the value info with another name.
func (v *ValueInfo) WithName(name string) *ValueInfo {
	return &ValueInfo{name: name, head: append(appendString(nil, fieldnum.ValueName, name), without(v.head, fieldnum.ValueName)...)}
}

// WithType returns the value info with another type. It keeps the denotation of the value. It also
// keeps the denotations of the axes, if both types have the same number of axes.
func (v *ValueInfo) WithType(t Type) *ValueInfo {
	head := without(v.head, fieldnum.ValueType)
	if b := encodeType(t); b != nil {
		old, _ := joinedMessage(v.head, fieldnum.ValueType)
		head = appendBytes(head, fieldnum.ValueType, withDenotations(b, old))
	}
	return &ValueInfo{name: v.name, head: head}
}

// WithDim returns the value info with one dimension of its tensor type replaced, as WithDims does.
func (v *ValueInfo) WithDim(axis int, d Dim) *ValueInfo { return v.WithDims(map[int]Dim{axis: d}) }

// WithDims returns the value info with dimensions of its tensor type replaced, by axis. All other
// parts of the type, such as denotations, keep their encoding. Axes that the value does not have
// change nothing. It takes all axes at once, because each call copies the whole type.
func (v *ValueInfo) WithDims(to map[int]Dim) *ValueInfo {
	t := v.Type()
	if !slices.ContainsFunc(slices.Collect(maps.Keys(to)), func(axis int) bool { return axis >= 0 && axis < len(t.Shape) }) {
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
					i++
					d, ok := to[i]
					if !ok {
						return dim
					}
					return appendDim(without(dim, fieldnum.DimValue, fieldnum.DimParam), d)
				})
			})
		})
	})
	return &ValueInfo{name: v.name, head: head}
}

// patch returns a message in which f has replaced the content of every occurrence of a
// length-delimited field. A malformed message is returned unchanged.
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

// NamedType is a value's name and type.
type NamedType struct {
	Name string
	Type Type
}

// NamedTypes lists the names and types of value infos.
func NamedTypes(list []*ValueInfo) []NamedType {
	out := make([]NamedType, len(list))
	for i, v := range list {
		out[i] = NamedType{v.name, v.Type()}
	}
	return out
}
