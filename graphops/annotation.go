package graphops

import (
	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// renamedAnnotation returns the serialized quantization annotation b with tensors renamed: names
// maps old names to new ones. This covers the annotated tensor and the tensors that hold its
// quantization parameters, such as the scale.
func renamedAnnotation(b []byte, names map[string]string) []byte {
	rename := func(s []byte) []byte {
		if to, ok := names[text(s)]; ok {
			return []byte(to)
		}
		return s
	}
	b = patch(b, fieldnum.AnnotationTensor, rename)
	return patch(b, fieldnum.AnnotationParameters, func(e []byte) []byte { return patch(e, fieldnum.EntryValue, rename) })
}

func (e *GraphEditor) renameAnnotations(names map[string]string) {
	g := e.origin.headOnly()
	g.head = patch(g.head, fieldnum.GraphAnnotation, func(b []byte) []byte { return renamedAnnotation(b, names) })
	e.origin = g
}

// hasAnnotations reports whether the graph has quantization annotations.
func (e *GraphEditor) hasAnnotations() bool {
	_, ok := lastBytes(e.origin.head, fieldnum.GraphAnnotation)
	return ok
}

// keepAnnotations keeps the quantization annotations of tensors for which stays returns true, and
// drops the others.
func (e *GraphEditor) keepAnnotations(stays func(name string) bool) {
	if !e.hasAnnotations() {
		return
	}
	g := e.origin.headOnly()
	kept := without(g.head, fieldnum.GraphAnnotation)
	for f := range fieldsOf(g.head) {
		if f.num == fieldnum.GraphAnnotation && f.typ == protowire.BytesType && checkFields(f.value) == nil && stays(lastString(f.value, fieldnum.AnnotationTensor)) {
			kept = append(kept, f.whole...)
		}
	}
	g.head = kept
	e.origin = g
}
