package rewrite

import "lathe/graphops"

// room is memory for what a graph is loaded into. It is allocated at once, because a graph has as many
// nodes, values and lists of them as the file, and the garbage collector handles few large parts
// faster than many small ones.
type room struct {
	nodes    slab[Node]
	values   slab[Value]
	operands slab[*Value] // inputs and outputs of nodes
	readers  slab[*Node]
	sites    slab[Site]
	sets     slab[Sites]
}

func newRoom(g *graphops.Graph) room {
	nodes, operands, readers := len(g.Nodes()), 0, 0
	x := g.Index()
	for _, n := range g.Nodes() {
		operands += len(n.Inputs()) + len(n.Outputs())
	}
	for v := range x.Values() {
		readers += len(x.Readers(graphops.ValueID(v)))
	}
	return room{make(slab[Node], nodes), make(slab[Value], x.Values()), make(slab[*Value], operands), make(slab[*Node], readers), make(slab[Site], nodes), make(slab[Sites], nodes)}
}

// slab is memory for elements of lists.
type slab[T any] []T

// take returns a list of n zero elements, of its own memory if the slab has too few.
func (s *slab[T]) take(n int) []T {
	if n == 0 {
		return nil
	}
	if n > len(*s) {
		return make([]T, n)
	}
	list := (*s)[:n:n]
	*s = (*s)[n:]
	return list
}

// newValue returns a value of the graph, with a number of its own in the model.
func (g *Graph) newValue(name string) *Value {
	v := &g.room.values.take(1)[0]
	v.name, v.graph, v.id = name, g, g.model.values
	g.model.values++
	return v
}

// newNode returns a node of the graph that is not in its list yet, with a number of its own in the
// model.
func (g *Graph) newNode(spec *graphops.Node) *Node {
	n := &g.room.nodes.take(1)[0]
	n.graph, n.spec, n.id = g, spec, g.model.nodes
	g.model.nodes++
	return n
}

// ID returns the number of the value in its model, from 0 and without gaps. A fact about values can be
// kept in a list with Model.Values entries.
func (v *Value) ID() int { return v.id }

// ID returns the number of the node in its model, from 0 and without gaps.
func (n *Node) ID() int { return n.id }

// Values returns how many values the model has or had.
func (m *Model) Values() int { return m.values }

// Nodes returns how many nodes the model has or had.
func (m *Model) Nodes() int { return m.nodes }
