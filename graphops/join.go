package graphops

import (
	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// origin is a file, with its external data, that a model is read from.
type origin struct {
	src   *source
	files *externalFiles
}

// AlsoFrom returns the model with the files of another model added to those that it is read from.
// It must be called for a model that uses parts of the other one.
func (m *Model) AlsoFrom(other *Model) *Model {
	c := m.changed()
	c.also = append(append([]origin(nil), m.also...), other.origins()...)
	return c
}

// origins returns all files that the model is read from.
func (m *Model) origins() []origin {
	return append([]origin{{m.src, m.files}}, m.also...)
}

// Append adds the contents of another graph after the editor's own: nodes, initializers, value_info
// and quantization annotations. It does not add inputs, outputs, or other fields of the graph.
func (e *GraphEditor) Append(g *Graph) {
	e.Nodes = append(e.Nodes, g.nodes...)
	e.Initializers = append(e.Initializers, g.initializers...)
	e.Sparse = append(e.Sparse, g.sparse...)
	e.ValueInfo = append(e.ValueInfo, g.valueInfo...)
	head := append([]byte(nil), e.origin.head...)
	for f := range fieldsOf(g.head) {
		if f.num == fieldnum.GraphAnnotation && f.typ == protowire.BytesType {
			head = append(head, f.whole...)
		}
	}
	e.origin = &Graph{head: head}
}
