package graphops

import (
	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// origin is where parts of a model are read from.
type origin struct {
	src   *source
	files *externalFiles
}

// AlsoFrom is the model with the files of another among those that it is read
// from, for one that has taken over parts of the other.
func (m *Model) AlsoFrom(other *Model) *Model {
	c := m.changed()
	c.also = append(append([]origin(nil), m.also...), other.origins()...)
	return c
}

// origins are all that the model is read from.
func (m *Model) origins() []origin {
	return append([]origin{{m.src, m.files}}, m.also...)
}

// Append takes over the contents of another graph, behind the editor's own: nodes,
// initializers, value_info and annotations. Inputs, outputs and what the other
// graph says of itself are left.
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
