package edit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
)

// node returns the position of the node with the given name. The name can also be # and the
// position, such as "#12".
func (e *edit) node(name string) (int, error) {
	nodes := e.graph.Nodes()
	if at, ok := strings.CutPrefix(name, "#"); ok {
		if i, err := strconv.Atoi(at); err == nil {
			if i < 0 || i >= len(nodes) {
				return 0, fmt.Errorf("node %q: there are %d nodes, the last is #%d", name, len(nodes), len(nodes)-1)
			}
			return i, nil
		}
	}
	found := -1
	for i, n := range nodes {
		if n.Name() != name || name == "" {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("node %q: nodes %d and %d have that name; say #%d or #%d", name, found, i, found, i)
		}
		found = i
	}
	if found < 0 {
		return 0, e.unknownNode(name)
	}
	return found, nil
}

func (e *edit) unknownNode(name string) error {
	var names []string
	for _, n := range e.graph.Nodes() {
		names = append(names, n.Name())
	}
	where := "the graph"
	if e.place.Kind != graphops.MainGraph {
		where = fmt.Sprintf("%q", e.place)
	}
	err := fmt.Errorf("node %q: %s has none of that name", name, where)
	if id, ok := e.index.Value(name); ok && e.index.Producer(id) >= 0 {
		i := e.index.Producer(id)
		return fmt.Errorf("%w; the value of that name is made by node %s", err, nodeLabel(e.graph, i))
	}
	if near := graphops.NearestNames(name, slices.Values(names)); len(near) > 0 {
		return fmt.Errorf("%w; nearest names: %s", err, graphops.QuoteNames(near))
	}
	return fmt.Errorf("%w; say #N for the Nth", err)
}

// nodeName returns the text by which edit.node finds the node at position i: its name, or # and the
// position.
func nodeName(g *graphops.Graph, i int) string {
	if name := g.Nodes()[i].Name(); name != "" {
		return name
	}
	return "#" + strconv.Itoa(i)
}

// nodeLabel returns the text for the node in messages: its name, or # and the position if it has
// none, followed by the operator.
func nodeLabel(g *graphops.Graph, i int) string {
	n := g.Nodes()[i]
	if n.Name() == "" {
		return fmt.Sprintf("#%d (%s)", i, n.OpType())
	}
	return fmt.Sprintf("%q (%s)", n.Name(), n.OpType())
}
