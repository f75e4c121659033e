package rewrite

import (
	"fmt"

	"lathe/graphops"
)

// Site identifies a node of the loaded model by its place and its index there.
type Site struct {
	Place *graphops.Place
	Node  int
}

// Spec returns the node at the site.
func (s Site) Spec() *graphops.Node { return s.Place.Graph.Nodes()[s.Node] }

// String returns the node's operator with its name, or its index if it has no name. For a node that
// is not in the main graph, the place follows.
func (s Site) String() string {
	n := s.Spec()
	where := fmt.Sprintf("%s %q", n.OpType(), n.Name())
	if n.Name() == "" {
		where = fmt.Sprintf("%s #%d", n.OpType(), s.Node)
	}
	if s.Place.Kind != graphops.MainGraph {
		where += fmt.Sprintf(" in %q", s.Place.String())
	}
	return where
}
