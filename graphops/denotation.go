package graphops

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Denotations, which say what a value or an axis of it means.
const (
	typeDenotation protowire.Number = 6 // of TypeProto
	dimDenotation  protowire.Number = 3 // of a dimension
)

// withDenotations is the encoded type b with what the encoded type old says of
// its meaning: of the value, and of its axes where b has as many.
func withDenotations(b, old []byte) []byte {
	axes := axisDenotations(old)
	i := -1
	describe := func(tensor []byte) []byte {
		return patch(tensor, typeShape, func(shape []byte) []byte {
			return patch(shape, shapeDim, func(dim []byte) []byte {
				if i++; axes[i] == "" {
					return dim
				}
				return appendString(slices.Clip(dim), dimDenotation, axes[i])
			})
		})
	}
	if len(axes) > 0 && len(axes) == len(decodeType(b).Shape) {
		b = patch(patch(b, typeTensor, describe), typeSparse, describe)
	}
	if d := lastString(old, typeDenotation); d != "" {
		b = appendString(b, typeDenotation, d)
	}
	return b
}

// axisDenotations are the denotations of a tensor type's axes, "" for none.
func axisDenotations(b []byte) []string {
	var out []string
	for f := range fieldsOf(b) {
		if f.typ != protowire.BytesType || f.num != typeTensor && f.num != typeSparse {
			continue
		}
		shape, _ := joinedMessage(f.value, typeShape)
		for d := range fieldsOf(shape) {
			if d.num == shapeDim && d.typ == protowire.BytesType {
				out = append(out, lastString(d.value, dimDenotation))
			}
		}
	}
	return out
}
