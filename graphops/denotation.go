package graphops

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// withDenotations returns the serialized type b with the denotations of the serialized type old:
// the one of the value and, if both types have the same number of axes, those of the axes. (A
// denotation says what a value or axis means, such as DATA_BATCH.)
func withDenotations(b, old []byte) []byte {
	axes := axisDenotations(old)
	i := -1
	describe := func(tensor []byte) []byte {
		return patch(tensor, fieldnum.TypeShape, func(shape []byte) []byte {
			return patch(shape, fieldnum.ShapeDim, func(dim []byte) []byte {
				if i++; axes[i] == nil {
					return dim
				}
				return appendString(slices.Clip(dim), fieldnum.DimDenotation, *axes[i])
			})
		})
	}
	if len(axes) > 0 && len(axes) == len(decodeType(b).Shape) {
		b = patch(patch(b, fieldnum.TypeTensor, describe), fieldnum.TypeSparse, describe)
	}
	if hasField(old, fieldnum.TypeDenotation) {
		b = appendString(b, fieldnum.TypeDenotation, lastString(old, fieldnum.TypeDenotation))
	}
	return b
}

// axisDenotations returns the denotations of a tensor type's axes, nil for an axis without one.
func axisDenotations(b []byte) []*string {
	var out []*string
	for f := range fieldsOf(b) {
		if f.typ != protowire.BytesType || f.num != fieldnum.TypeTensor && f.num != fieldnum.TypeSparse {
			continue
		}
		shape, _ := joinedMessage(f.value, fieldnum.TypeShape)
		for d := range fieldsOf(shape) {
			if d.num == fieldnum.ShapeDim && d.typ == protowire.BytesType {
				var said *string
				if hasField(d.value, fieldnum.DimDenotation) {
					said = new(lastString(d.value, fieldnum.DimDenotation))
				}
				out = append(out, said)
			}
		}
	}
	return out
}
