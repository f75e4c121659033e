package graphops

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// Stated is the kind that the attribute's type field names, AttrUndefined where the
// file leaves it out; Kind then goes by what is there.
func (a *Attribute) Stated() AttributeKind {
	k, _ := lastVarint(a.head, fieldnum.AttrType)
	return AttributeKind(k)
}

// Holds are the kinds of the values that the attribute holds, each once, in the
// order of the format's list. A valid attribute holds its own kind alone, none where
// that is an empty list or stands for the attribute of a function. One that is
// deferred answers with its kind.
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

// isEmptyPacked reports whether a field is a packed list of no numbers, which
// says as much as no field does.
func isEmptyPacked(f field) bool {
	return (f.num == fieldnum.AttrInts || f.num == fieldnum.AttrFloats) && f.typ == protowire.BytesType && len(f.value) == 0
}
