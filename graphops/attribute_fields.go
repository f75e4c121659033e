package graphops

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// Stated returns the kind in the attribute's type field, or AttrUndefined if the file has none. In
// that case Kind derives the kind from the value.
func (a *Attribute) Stated() AttributeKind {
	k, _ := lastVarint(a.head, fieldnum.AttrType)
	return AttributeKind(k)
}

// Holds returns the kinds of the values that the attribute has, without duplicates and in a fixed
// order. A valid attribute has a value of its own kind only. It has no value if it is an empty list
// or refers to a function's attribute. The values of a deferred attribute are not decoded yet, so
// Holds returns the attribute's kind.
func (a *Attribute) Holds() []AttributeKind {
	if a.deferred {
		return []AttributeKind{a.Kind()}
	}
	var out []AttributeKind
	for _, part := range []struct {
		kind AttributeKind
		here bool
	}{
		{AttrTensor, a.tensor != nil},
		{AttrGraph, a.graph != nil},
		{AttrTensors, len(a.tensors) > 0},
		{AttrGraphs, len(a.graphs) > 0},
		{AttrSparseTensor, a.sparse != nil},
		{AttrSparseTensors, len(a.sparses) > 0},
	} {
		if part.here {
			out = append(out, part.kind)
		}
	}
	for f := range fieldsOf(a.head) {
		if k := kindOf[f.num]; k != AttrUndefined && !isEmptyPacked(f) && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// isEmptyPacked reports whether a field is an empty packed list, which means the same as no
// field.
func isEmptyPacked(f field) bool {
	return (f.num == fieldnum.AttrInts || f.num == fieldnum.AttrFloats) && f.typ == protowire.BytesType && len(f.value) == 0
}

// Types returns the types of a TYPE_PROTO or TYPE_PROTOS attribute.
func (a *Attribute) Types() []Type {
	var out []Type
	for f := range fieldsOf(a.head) {
		if (f.num == fieldnum.AttrTP || f.num == fieldnum.AttrTPs) && f.typ == protowire.BytesType {
			out = append(out, decodeType(f.value))
		}
	}
	return out
}
