package graphops

import (
	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// origin is a source of parts of a model.
type origin struct {
	src   *source
	files *externalFiles
}

// AlsoFrom returns the model with the sources of another model added, for a model that uses
// parts of the other.
func (m *Model) AlsoFrom(other *Model) *Model {
	c := m.changed()
	c.also = append(append([]origin(nil), m.also...), other.origins()...)
	return c
}

// origins returns all sources of the model.
func (m *Model) origins() []origin {
	return append([]origin{{m.src, m.files}}, m.also...)
}

// Append adds the contents of another graph after the editor's own: nodes, initializers,
// value_info and annotations. It does not add inputs, outputs, or other fields of the graph.
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
