package graphops

import (
	"maps"
	"slices"
)

// Unshadowing reports what Unshadowed did with values in bodies that have the name of a value
// around the body. Each list is sorted and has no duplicates.
type Unshadowing struct {
	// Renamed are the old names of values that got other names inside bodies.
	Renamed []string
	// Bound are the names of values that could not be renamed, because they are outputs of a body
	// that its operator finds by name (see Place.PortsByName).
	Bound []string
}

// Unshadowed renames values in bodies that have the same name as a value around the body, if a node
// in the body produces them. It renames nothing outside of bodies. A value outside that depends on
// the node with the body does not matter, because it does not exist while the body runs.
//
// ONNX Runtime rejects such a name if the outer value exists before the body runs. An edit can
// therefore make a valid model invalid: it may turn the outer value into an input, or change the
// order in which ONNX Runtime runs the nodes. The nodes of a function run in place of the call.
func (m *Model) Unshadowed() (*Model, Unshadowing) {
	u := unshadower{model: m, renamed: map[string]bool{}, bound: map[string]bool{}}
	g, functions := u.graph(m.graph), slices.Clone(m.functions)
	for i, f := range functions {
		if inner := u.graph(f.graph); inner != f.graph {
			functions[i] = f.withGraph(inner)
		}
	}
	did := Unshadowing{slices.Sorted(maps.Keys(u.renamed)), slices.Sorted(maps.Keys(u.bound))}
	if len(u.renamed) == 0 {
		return m, did
	}
	c := m.changed()
	c.graph, c.functions = g, functions
	return c, did
}

// Warning returns a sentence about the renamed values. It is empty if no value was renamed.
func (u Unshadowing) Warning() string {
	if len(u.Renamed) == 0 {
		return ""
	}
	return QuoteNames(u.Renamed) + ": renamed inside bodies, since values around the bodies have the same names"
}

// unshadower renames values in the bodies of one model.
type unshadower struct {
	model    *Model
	names    *Names
	holders  []holder // the nodes with a body around the current one, outermost first
	searches int
	// renamed and bound are the lists of Unshadowing, as sets.
	renamed, bound map[string]bool
}

// dependantSearches limits how many searches are made for the values that depend on a node with a
// body. Each takes time proportional to the size of the graph. For the remaining nodes with bodies,
// only their own outputs count as dependent.
const dependantSearches = 100

// holder is a node with a body around the current position, and the graph that contains the node.
type holder struct {
	graph *Graph
	node  int
	// after reports for each value of graph whether it depends on the node. It is nil until it is
	// needed.
	after []bool
}

// graph returns the graph with values in its bodies, at any depth, renamed as described at
// Unshadowed.
func (u *unshadower) graph(g *Graph) *Graph {
	nodes := slices.Clone(g.nodes)
	for i, n := range nodes {
		if len(n.Graphs()) == 0 {
			continue
		}
		u.holders = append(u.holders, holder{graph: g, node: i})
		nodes[i] = n.mapBodies(func(body *Graph) *Graph {
			return u.graph(u.body(body, n.Domain() != DefaultDomain))
		})
		u.holders = u.holders[:len(u.holders)-1]
	}
	if slices.Equal(nodes, g.nodes) {
		return g
	}
	e := EditGraph(g)
	e.Nodes = nodes
	return e.Graph()
}

// body returns the body with the values renamed that its nodes produce and whose names are also
// defined around it.
func (u *unshadower) body(g *Graph, portsByName bool) *Graph {
	x := g.Index()
	names := map[string]string{}
	for id := range ValueID(x.Values()) {
		name := x.Name(id)
		switch {
		case x.Producer(id) < 0 || !u.isAround(name):
		case portsByName && x.IsOutput(id):
			u.bound[name] = true
		default:
			names[name] = u.fresh(name)
			u.renamed[name] = true
		}
	}
	if len(names) == 0 {
		return g
	}
	return g.Renamed(names)
}

func (u *unshadower) fresh(name string) string {
	if u.names == nil {
		u.names = NamesOf(u.model)
	}
	return u.names.Value(name)
}

// isAround reports whether a graph around the current body defines a value with this name. Values
// that depend on the node with the body do not count.
func (u *unshadower) isAround(name string) bool {
	for i := range u.holders {
		x := u.holders[i].graph.Index()
		if id, ok := x.Value(name); ok && x.IsDefined(id) && !u.isAfter(&u.holders[i], id) {
			return true
		}
	}
	return false
}

// isAfter reports whether a value depends on the node with the body.
func (u *unshadower) isAfter(h *holder, id ValueID) bool {
	x := h.graph.Index()
	if x.Producer(id) == h.node {
		return true
	}
	if h.after == nil && u.searches < dependantSearches {
		u.searches++
		h.after = x.Descendants(NodePoint(h.node)).Values
	}
	return h.after != nil && h.after[id]
}
