package rewrite

import (
	"fmt"
	"slices"
)

// Check verifies the invariants that are listed in the package documentation. It returns an error
// for the first violation.
func (m *Model) Check() error {
	c := checker{defined: map[*Value]bool{}, reads: map[*Value]int{}, outputs: map[*Value]int{}}
	for _, g := range m.roots {
		if err := c.graph(g); err != nil {
			return err
		}
	}
	if err := m.checkKept(); err != nil {
		return err
	}
	for v := range c.defined {
		if v.reads != c.reads[v] || v.outputs != c.outputs[v] {
			return fmt.Errorf("value %q has %d reads and is %d outputs, but counts %d and %d", v.name, c.reads[v], c.outputs[v], v.reads, v.outputs)
		}
		if len(v.Readers()) == 0 != (v.reads == 0) {
			return fmt.Errorf("value %q has %d reads and %d readers", v.name, v.reads, len(v.Readers()))
		}
	}
	return nil
}

// checkKept verifies what is kept of the model, so that it need not be computed again.
func (m *Model) checkKept() error {
	kept := m.Graphs()
	m.graphs = nil
	if !slices.Equal(kept, m.Graphs()) {
		return fmt.Errorf("a change did not discard the list of %d graphs", len(kept))
	}
	for _, g := range kept {
		for n := range g.Nodes() {
			if !m.MayHave([]string{n.Op()}) {
				return fmt.Errorf("node %q is %s, which no node is thought to be", n.Name(), n.Op())
			}
		}
	}
	return nil
}

type checker struct {
	defined        map[*Value]bool
	reads, outputs map[*Value]int
}

func (c *checker) define(g *Graph, v *Value, producer *Node) error {
	if c.defined[v] {
		return fmt.Errorf("value %q is defined twice", v.name)
	}
	if v.graph != g || v.producer != producer {
		return fmt.Errorf("value %q does not know its definition", v.name)
	}
	c.defined[v] = true
	return nil
}

func (c *checker) graph(g *Graph) error {
	names := map[string]bool{}
	for _, v := range g.Values() {
		if !v.isStored() {
			continue
		}
		if names[v.name] {
			return fmt.Errorf("the name %q is taken twice", v.name)
		}
		names[v.name] = true
	}
	for _, v := range g.inputs {
		if err := c.define(g, v, nil); err != nil {
			return err
		}
	}
	for _, v := range g.constants {
		if v.input {
			continue
		}
		if err := c.define(g, v, nil); err != nil {
			return err
		}
	}
	count := 0
	for n := g.first; n != nil; n = n.next {
		if count++; n.gone || n.graph != g || n.next != nil && n.next.prev != n {
			return fmt.Errorf("the links of node %q to its neighbours are inconsistent; this is a fault of lathe", n.Name())
		}
		if err := c.node(n); err != nil {
			return err
		}
	}
	if count != g.count {
		return fmt.Errorf("a graph has %d nodes and counts %d", count, g.count)
	}
	return c.results(g)
}

func (c *checker) node(n *Node) error {
	for i, v := range n.in {
		if v == nil {
			continue
		}
		if !c.defined[v] || !n.graph.within(v.graph) {
			return fmt.Errorf("node %q (%s) reads input %d, %q, before it is defined", n.Name(), n.Op(), i, v.name)
		}
		if !slices.Contains(v.Readers(), n) {
			return fmt.Errorf("value %q does not know its reader %q", v.name, n.Name())
		}
		c.reads[v]++
	}
	for _, b := range n.bodies {
		if b.holder != n {
			return fmt.Errorf("a body of node %q does not know it", n.Name())
		}
		if err := c.graph(b); err != nil {
			return err
		}
	}
	for _, v := range n.out {
		if v != nil {
			if err := c.define(n.graph, v, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) results(g *Graph) error {
	for _, v := range g.outputs {
		if !c.defined[v] {
			return fmt.Errorf("output %q is not defined", v.name)
		}
		c.outputs[v]++
	}
	return nil
}
