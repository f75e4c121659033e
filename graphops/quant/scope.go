package quant

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// scope holds the quantization of one graph, the main graph or a body: the original graph, and
// what it becomes. A value that a body captures is quantized in the scope that defines it, before
// the node with the body.
type scope struct {
	*dynamic
	place  *graphops.Place
	parent *scope // nil for the main graph
	graph  *graphops.Graph
	index  *graphops.Index
	order  []int // of the nodes
	// bodies has the scopes of a node's bodies, by the position of the node, in the order of
	// Node.Graphs. It is empty without DynamicOptions.Subgraphs.
	bodies map[int][]*scope

	choices []choice // by node
	// captured holds the values that bodies read in float32.
	captured map[string]bool

	at     int                // position of the node being visited
	nodes  []*graphops.Node   // emitted so far
	added  []*graphops.Tensor // constants created so far
	values map[string]value   // quantized forms, by the name of the original
	// others holds further forms of constants, for readers that cannot use the one in values.
	others map[form]value
	// transposes maps constants to the names of their transposed copies.
	transposes map[string]string
	// products holds the products of two scales that nodes without a name share.
	products map[[2]string]string
	// dequantized holds the values that a DequantizeLinear produces.
	dequantized map[string]bool
	// sources holds the sizes in bytes of the constants that were quantized.
	sources map[string]int64
}

// form identifies one quantized form of a constant: its name, and the rule for its type and scales.
type form struct {
	name  string
	rule  tensor.AffineRule
	gates bool // of an LSTM
}

// newScope returns the scope of a place. If bodies are quantized too, it also has the scopes of
// all places in it.
func (d *dynamic) newScope(p *graphops.Place, parent *scope) (*scope, error) {
	s := &scope{
		dynamic: d, place: p, parent: parent, graph: p.Graph, index: p.Graph.Index(),
		bodies:      map[int][]*scope{},
		captured:    map[string]bool{},
		values:      map[string]value{},
		others:      map[form]value{},
		transposes:  map[string]string{},
		products:    map[[2]string]string{},
		dequantized: map[string]bool{},
		sources:     map[string]int64{},
	}
	d.scopes = append(d.scopes, s)
	if names := s.index.Duplicates; len(names) > 0 {
		return nil, fmt.Errorf("value %q is produced by more than one node; the graph is not valid", names[0])
	}
	var err error
	if s.order, err = s.graph.Order(); err != nil {
		return nil, err
	}
	if !slices.IsSorted(s.order) {
		d.report.depart(unsorted)
	}
	if len(s.graph.SparseInitializers()) > 0 {
		d.report.depart(sparseConstant)
	}
	if !d.o.Subgraphs {
		return s, d.ctx.Err()
	}
	for _, body := range p.Bodies {
		inner, err := d.newScope(body, s)
		if err != nil {
			return nil, err
		}
		s.bodies[body.Node] = append(s.bodies[body.Node], inner)
	}
	return s, d.ctx.Err()
}

// owner returns the scope that defines a name: this one or one around it. A name that none of
// them defines belongs to this scope.
func (s *scope) owner(name string) *scope {
	for o := s; o != nil; o = o.parent {
		if id, ok := o.index.Value(name); ok && o.index.IsDefined(id) {
			return o
		}
	}
	return s
}

// markCaptured finds the values that bodies read in float32.
func (s *scope) markCaptured() {
	for i, n := range s.graph.Nodes() {
		if s.parent != nil {
			s.markInputs(i, n)
		}
		if len(s.bodies[i]) == 0 {
			for _, name := range n.Captured() {
				s.owner(name).captured[name] = true
			}
		}
		for _, inner := range s.bodies[i] {
			inner.markCaptured()
		}
	}
}

func (s *scope) markInputs(i int, n *graphops.Node) {
	for at, name := range n.Inputs() {
		if o := s.owner(name); o != s && !(s.choices[i].take && slices.Contains(families[n.OpType()].operands, at)) {
			o.captured[name] = true
		}
	}
}

// rewrite visits all nodes and then restores the outputs.
func (s *scope) rewrite() error {
	for at, i := range s.order {
		if at%4096 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if err := s.visit(i); err != nil {
			return err
		}
	}
	for _, v := range s.graph.Outputs() {
		s.dequantize(v.Name())
	}
	return nil
}

// visit emits the nodes that replace node i.
func (s *scope) visit(i int) error {
	n := s.graph.Nodes()[i]
	if len(s.bodies[i]) > 0 {
		held, err := s.rewriteBodies(n, s.bodies[i])
		if err != nil {
			return err
		}
		s.keep(held)
		return nil
	}
	if !s.choices[i].take {
		s.keep(n)
		return nil
	}
	s.at = i
	if err := families[n.OpType()].rewrite(s, n); err != nil {
		return fmt.Errorf("node %q (%s): %w", n.Name(), n.OpType(), err)
	}
	return nil
}

// rewriteBodies returns the node with its bodies rewritten.
func (s *scope) rewriteBodies(n *graphops.Node, bodies []*scope) (*graphops.Node, error) {
	attrs := slices.Clone(n.Attributes())
	changed := false
	for i, a := range attrs {
		held := slices.Clone(a.Graphs())
		if len(held) == 0 {
			continue
		}
		for j := range held {
			inner := bodies[0]
			bodies = bodies[1:]
			before := len(s.report.Quantized)
			if err := inner.rewrite(); err != nil {
				return nil, err
			}
			if len(s.report.Quantized) == before {
				continue
			}
			g, err := inner.finishBody()
			if err != nil {
				return nil, err
			}
			held[j], changed = g, true
		}
		attrs[i] = a.WithGraphs(held)
	}
	if !changed {
		return n, nil
	}
	return n.WithAttributes(attrs), nil
}

// done reports the visited node as quantized.
func (s *scope) done(n *graphops.Node, weights ...weight) {
	if s.sketch != nil {
		s.sketch.node(s, weights)
	}
	q := Quantized{Place: s.place.String(), Index: s.at, Node: n.Name(), Op: n.OpType()}
	for _, w := range weights {
		if q.Weight == "" {
			q.Weight = w.name
		}
		q.BytesBefore += w.before
		q.BytesAfter += w.after
	}
	s.report.Quantized = append(s.report.Quantized, q)
}
