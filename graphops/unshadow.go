package graphops

import (
	"maps"
	"slices"
)

// Unshadowing is what became of values inside bodies that had the name of a value around
// the body, sorted and each once.
type Unshadowing struct {
	// Renamed have another name inside the bodies.
	Renamed []string
	// Bound keep theirs: they are outputs of a body that its operator finds by name, see
	// Place.PortsByName.
	Bound []string
}

// Unshadowed gives what nodes in bodies make names that no value around the bodies has.
// Nothing outside the bodies is renamed. Values that depend on the node that holds a body
// do not count as around it: they do not exist while it runs.
//
// ONNX Runtime refuses such a name if the value around exists before the body runs. An
// edit turns a model that loads into one that does not if it makes the value around an
// input, or changes the order in which ONNX Runtime places the nodes. Those of a function
// it places where the function is called.
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

// Warning reports the renamed values in a sentence, "" if there are none.
func (u Unshadowing) Warning() string {
	if len(u.Renamed) == 0 {
		return ""
	}
	return QuoteNames(u.Renamed) + ": renamed inside bodies, since values around the bodies have the same names"
}

// unshadower walks from a graph into its bodies.
type unshadower struct {
	model    *Model
	names    *Names
	holders  []holder // of the current body, outermost first
	searches int
	// renamed and bound are the names of an Unshadowing.
	renamed, bound map[string]bool
}

// dependantSearches is how many holders of bodies are followed to all that depends on
// them, which takes as long as the graph has nodes. Of further ones only the results
// themselves are left out.
const dependantSearches = 100

// holder is a node that holds a body, in its graph.
type holder struct {
	graph *Graph
	node  int
	// after are the values that depend on the node, nil until they are searched.
	after []bool
}

// graph is a graph whose bodies, and the bodies in them, have names of their own.
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

// body is a body whose nodes make no value of a name around it.
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

// isAround reports whether a graph around the current body defines a name, other than for
// a value that depends on the body.
func (u *unshadower) isAround(name string) bool {
	for i := range u.holders {
		x := u.holders[i].graph.Index()
		if id, ok := x.Value(name); ok && x.IsDefined(id) && !u.isAfter(&u.holders[i], id) {
			return true
		}
	}
	return false
}

// isAfter reports whether a value depends on the holder of a body.
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
