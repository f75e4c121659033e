package graphops

import "google.golang.org/protobuf/encoding/protowire"

// graphAnnotation is GraphProto.quantization_annotation, which names tensors.
const graphAnnotation protowire.Number = 14

// Field numbers of TensorAnnotation, and of the entries in it.
const (
	annotationTensor     protowire.Number = 1
	annotationParameters protowire.Number = 2
	entryValue           protowire.Number = 2
)

// renamedAnnotation renames the tensor that an annotation speaks of, and its
// quantization parameters.
func renamedAnnotation(b []byte, names map[string]string) []byte {
	rename := func(s []byte) []byte {
		if to, ok := names[text(s)]; ok {
			return []byte(to)
		}
		return s
	}
	b = patch(b, annotationTensor, rename)
	return patch(b, annotationParameters, func(e []byte) []byte { return patch(e, entryValue, rename) })
}

func (e *GraphEditor) renameAnnotations(names map[string]string) {
	g := e.origin.headOnly()
	g.head = patch(g.head, graphAnnotation, func(b []byte) []byte { return renamedAnnotation(b, names) })
	e.origin = g
}

// keepAnnotations drops the annotations of tensors that do not stay.
func (e *GraphEditor) keepAnnotations(stays func(name string) bool) {
	if _, ok := lastBytes(e.origin.head, graphAnnotation); !ok {
		return
	}
	g := e.origin.headOnly()
	kept := without(g.head, graphAnnotation)
	for f := range fieldsOf(g.head) {
		if f.num == graphAnnotation && f.typ == protowire.BytesType && checkFields(f.value) == nil && stays(lastString(f.value, annotationTensor)) {
			kept = append(kept, f.whole...)
		}
	}
	g.head = kept
	e.origin = g
}
