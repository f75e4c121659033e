package graphops

import (
	"fmt"
	"slices"
)

// Order returns the indices of the graph's nodes in executable order: each node comes after the
// producers of all values that it, or one of its bodies, reads. If the nodes are already in such an
// order, it stays the same. A cycle is an error.
func (g *Graph) Order() ([]int, error) {
	if g.isOrdered() {
		return identity(len(g.nodes)), nil
	}
	o := orderer{graph: g, index: g.Index(), state: make([]byte, len(g.nodes))}
	for i := range g.nodes {
		if err := o.visit(i); err != nil {
			return nil, err
		}
	}
	return o.done, nil
}

// isOrdered reports whether the nodes are in executable order. Most files have them so.
func (g *Graph) isOrdered() bool {
	x := g.Index()
	for i := range g.nodes {
		for _, v := range x.reads.of(int32(i)) {
			if v != noValue && x.Producer(v) >= i {
				return false
			}
		}
	}
	return true
}

// identity returns the numbers below n, in order, and nil if n is 0.
func identity(n int) []int {
	out := slices.Grow([]int(nil), n)
	for i := range n {
		out = append(out, i)
	}
	return out
}

// Ordered returns the graph with its nodes in executable order. It returns g itself if they are. A
// cycle is an error. Bodies stay as they are.
func (g *Graph) Ordered() (*Graph, error) {
	if g.isOrdered() {
		return g, nil
	}
	order, err := g.Order()
	if err != nil {
		return g, err
	}
	e := EditGraph(g)
	for to, from := range order {
		e.Nodes[to] = g.nodes[from]
	}
	return e.Graph(), nil
}

// Ordered returns the model with the nodes of all its graphs in executable order. It returns m
// itself if they are. A cycle is an error.
func (m *Model) Ordered() (*Model, error) {
	// A body is listed after the graph of its node, so the places before the present one do not move.
	for i := len(m.Places()) - 1; i >= 0; i-- {
		p := m.Places()[i]
		g, err := p.Graph.Ordered()
		if err != nil {
			return nil, err
		}
		if g != p.Graph {
			m = m.WithGraph(p, g)
		}
	}
	return m, nil
}

// The states of a node while the order is computed.
const (
	unseen byte = iota
	waiting
	placed
)

type orderer struct {
	graph *Graph
	index *Index
	state []byte
	done  []int
	stack []pending
}

// pending is a node with the producers that must be placed before it and that were not visited yet.
type pending struct {
	node  int
	needs []int
}

// visit appends a node to the order, after all nodes that it depends on. It uses a stack of its own
// instead of recursion, because the longest path of a graph can have as many nodes as the file.
func (o *orderer) visit(node int) error {
	o.push(node)
	for len(o.stack) > 0 {
		top := &o.stack[len(o.stack)-1]
		if len(top.needs) == 0 {
			o.state[top.node] = placed
			o.done = append(o.done, top.node)
			o.stack = o.stack[:len(o.stack)-1]
			continue
		}
		next := top.needs[0]
		top.needs = top.needs[1:]
		if o.state[next] == waiting {
			return fmt.Errorf("node %d %q (%s) needs its own result: the graph has a cycle", next, o.graph.nodes[next].name, o.graph.nodes[next].opType)
		}
		o.push(next)
	}
	return nil
}

func (o *orderer) push(node int) {
	if o.state[node] == placed {
		return
	}
	o.state[node] = waiting
	p := pending{node: node}
	for _, v := range o.index.reads.of(int32(node)) {
		if v == noValue {
			continue
		}
		if i := o.index.Producer(v); i >= 0 && o.state[i] != placed {
			p.needs = append(p.needs, i)
		}
	}
	o.stack = append(o.stack, p)
}
