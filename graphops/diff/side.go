package diff

import (
	"lathe/graphops"
)

// use is a node that reads a value, and the position of the input. The position is -1 if a body
// reads it.
type use struct{ node, position int32 }

// side is one place with all that matching needs: edges by number, labels and hashes. Values have
// the numbers of the graph's index. A Constant node does not count as a node: its output is a
// constant.
type side struct {
	place *graphops.Place
	graph *graphops.Graph
	index *graphops.Index

	inputs, outputs  [][]int32 // values by node and position; -1 if left out
	captures         [][]int32 // values that the bodies of a node read
	turned           []bool    // nodes whose two inputs are in the opposite order here
	producer, slot   []int32   // of a value: node and position, -1 for none
	constants        []*constant
	constantNode     []*constant // by node; nil unless it is a Constant node
	start            []int32     // index into uses, by value
	uses             []use       // captures have position -1
	order            []int32     // nodes, producers first
	ops, base, label []hash      // of the operator; with attributes; with small constants
	interfaceIn      map[int32]hash
	interfaceOut     map[int32][]returned
	captured         map[int32]hash // captured values of a body
	outer            map[int32]outerValue

	down, downFull []hash // of what a node is computed from; with elements of constants
	up             []hash // of what is computed from it
}

// returned identifies an output that a value is, by its hash. times is how often the place lists
// the value as this output.
type returned struct {
	as    hash
	times int
}

// outerValue is the value of an enclosing place that a body captures.
type outerValue struct {
	side  *side
	value int32
}

// origin returns the side that defines a value, which is s or an enclosing one, and the number of
// the value there.
func (s *side) origin(v int32) (*side, int32) {
	if o, ok := s.outer[v]; ok {
		return o.side, o.value
	}
	return s, v
}

// name returns the name of a value, or "" if v is -1.
func (s *side) name(v int32) string {
	if v < 0 {
		return ""
	}
	return s.index.Name(graphops.ValueID(v))
}

// typeOf returns the declared type of a value.
func (s *side) typeOf(v int32) graphops.Type { return s.index.Type(graphops.ValueID(v)) }

// constant returns the constant that a value is, in this place or an enclosing one; nil if it is
// not a constant.
func (s *side) constant(v int32) *constant {
	if v < 0 {
		return nil
	}
	s, v = s.origin(v)
	return s.constants[v]
}

func newSide(p *graphops.Place, r *heads) *side {
	s := &side{place: p, graph: p.Graph, index: p.Graph.Index()}
	nodes, values := s.graph.Nodes(), s.index.Values()
	s.inputs, s.outputs = make([][]int32, len(nodes)), make([][]int32, len(nodes))
	s.captures = make([][]int32, len(nodes))
	s.constantNode = make([]*constant, len(nodes))
	s.constants = make([]*constant, values)
	s.producer, s.slot = make([]int32, values), make([]int32, values)
	for v := range s.producer {
		s.producer[v] = -1
	}
	for i, n := range nodes {
		s.link(i, n, r)
	}
	s.addInitializers(r)
	s.turn()
	s.countUses()
	s.order = s.sequence()
	return s
}

func (s *side) link(i int, n *graphops.Node, r *heads) {
	s.inputs[i] = s.numbers(n.Inputs())
	s.outputs[i] = s.numbers(n.Outputs())
	if captured := n.Captured(); len(captured) > 0 {
		s.captures[i] = s.numbers(captured)
	}
	c := r.constantOf(i, n)
	s.constantNode[i] = c // one that a later constant replaces is not a node either
	for j, v := range s.outputs[i] {
		if v < 0 || s.index.Producer(graphops.ValueID(v)) != i {
			continue
		}
		if c != nil {
			s.constants[v] = c
			continue
		}
		s.producer[v], s.slot[v] = int32(i), int32(j)
	}
}

// numbers returns the numbers of the named values. It drops empty names at the end, because inputs
// and outputs that are left out there need not be listed.
func (s *side) numbers(names []string) []int32 {
	for len(names) > 0 && names[len(names)-1] == "" {
		names = names[:len(names)-1]
	}
	if len(names) == 0 {
		return nil
	}
	out := make([]int32, len(names))
	for i, name := range names {
		out[i] = -1
		if v, ok := s.index.Value(name); ok && name != "" {
			out[i] = int32(v)
		}
	}
	return out
}

// addInitializers records the initializers that are in effect. If a name is defined several times,
// the last initializer is in effect, or the Constant node if there is one.
func (s *side) addInitializers(r *heads) {
	for _, t := range s.graph.Initializers() {
		if v, ok := s.index.Value(t.Name()); ok && s.index.Initializer(v) == t {
			s.constants[v] = r.dense(t, -1)
		}
	}
	for _, t := range s.graph.SparseInitializers() {
		v, ok := s.index.Value(t.Name())
		if ok && s.index.IsInitializer(v) && s.index.Initializer(v) == nil {
			s.constants[v] = r.sparse(t, -1)
		}
	}
}

// turn moves a constant behind the other input of a node with two inputs, if their order does not
// matter. Exporters differ in this order.
func (s *side) turn() {
	s.turned = make([]bool, len(s.inputs))
	for i, in := range s.inputs {
		if len(in) != 2 || in[0] < 0 || in[1] < 0 || !s.isConstant(in[0]) || s.isConstant(in[1]) {
			continue
		}
		if isCommutative(s.graph.Nodes()[i]) {
			in[0], in[1], s.turned[i] = in[1], in[0], true
		}
	}
}

// isNode reports whether a node takes part in matching, which all do except Constant nodes.
func (s *side) isNode(i int) bool { return s.constantNode[i] == nil }

// countUses fills uses and start, which have the readers of each value.
func (s *side) countUses() {
	s.start = make([]int32, len(s.producer)+1)
	s.eachUse(func(v int32, _ use) { s.start[v+1]++ })
	for v := range s.producer {
		s.start[v+1] += s.start[v]
	}
	s.uses = make([]use, s.start[len(s.producer)])
	next := append([]int32(nil), s.start...)
	s.eachUse(func(v int32, u use) {
		s.uses[next[v]] = u
		next[v]++
	})
}

func (s *side) eachUse(visit func(v int32, u use)) {
	for i := range s.inputs {
		if !s.isNode(i) {
			continue
		}
		for j, v := range s.inputs[i] {
			if v >= 0 {
				visit(v, use{int32(i), int32(j)})
			}
		}
		for _, v := range s.captures[i] {
			if v >= 0 {
				visit(v, use{int32(i), -1})
			}
		}
	}
}

// usesOf returns the readers of a value, including those that read it in a body.
func (s *side) usesOf(v int32) []use { return s.uses[s.start[v]:s.start[v+1]] }

// needs calls visit with each node that produces an input of node i, or a value that its bodies
// read.
func (s *side) needs(i int, visit func(producer int32)) {
	for _, list := range [2][]int32{s.inputs[i], s.captures[i]} {
		for _, v := range list {
			if v >= 0 && s.producer[v] >= 0 {
				visit(s.producer[v])
			}
		}
	}
}
