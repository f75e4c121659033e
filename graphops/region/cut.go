package region

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// Cut is a model cut at some values.
type Cut struct {
	model *graphops.Model
	graph *graphops.Graph
	index *graphops.Index
	at    []bool            // by value
	made  map[string]string // the names that cut values have as outputs
	place []int             // position of a node in topological order
	walks map[graphops.ValueID]walk
}

// walk is everything on the paths back from a value.
type walk struct {
	nodes  []int
	inputs []graphops.ValueID
}

// At cuts a model at values that nodes of its main graph produce.
func At(m *graphops.Model, values []graphops.ValueID) (*Cut, error) {
	c := &Cut{model: m, graph: m.Graph(), index: m.Graph().Index(), made: map[string]string{}, walks: map[graphops.ValueID]walk{}}
	order, err := c.graph.Order()
	if err != nil {
		return nil, err
	}
	c.place = make([]int, len(order))
	for at, i := range order {
		c.place[i] = at
	}
	c.at = make([]bool, c.index.Values())
	names := graphops.NamesOf(m)
	for _, v := range values {
		if c.index.Producer(v) < 0 {
			return nil, fmt.Errorf("no node produces the value %q, so the model cannot be cut there", c.index.Name(v))
		}
		if !c.at[v] {
			c.at[v] = true
			c.made[c.index.Name(v)] = names.Value(c.index.Name(v) + "_made")
		}
	}
	for _, v := range values {
		c.walks[v] = c.walk(v)
	}
	return c, nil
}

// Nodes returns the nodes of a cut value's region, by position, producers first. A node with
// several outputs is in the region of each, and so is a node that several cut values need without
// another cut value between.
func (c *Cut) Nodes(v graphops.ValueID) []int { return c.walks[v].nodes }

// Inputs returns the cut values, inputs of the model and undefined values that a region reads, in
// the order of their numbers, without constants.
func (c *Cut) Inputs(v graphops.ValueID) []graphops.ValueID { return c.walks[v].inputs }

// walk goes back from a value to the cut values and the inputs of the model.
func (c *Cut) walk(v graphops.ValueID) walk {
	var w walk
	seenNode, seen := map[int]bool{}, map[graphops.ValueID]bool{}
	stack := []int{c.index.Producer(v)}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seenNode[i] {
			continue
		}
		seenNode[i] = true
		w.nodes = append(w.nodes, i)
		for u := range Reads(c.graph, i) {
			switch p := c.index.Producer(u); {
			case c.at[u], p < 0 && !c.index.IsInitializer(u), p < 0 && c.index.IsInput(u):
				if !seen[u] {
					seen[u] = true
					w.inputs = append(w.inputs, u)
				}
			case p >= 0:
				stack = append(stack, p)
			}
		}
	}
	slices.SortFunc(w.nodes, func(i, j int) int { return c.place[i] - c.place[j] })
	slices.Sort(w.inputs)
	return w
}

// Reads yields the values that a node or its bodies read.
func Reads(g *graphops.Graph, node int) func(yield func(graphops.ValueID) bool) {
	n, x := g.Nodes()[node], g.Index()
	return func(yield func(graphops.ValueID) bool) {
		for _, list := range [][]string{n.Inputs(), n.Captured()} {
			for _, name := range list {
				if v, ok := x.Value(name); ok && name != "" && !yield(v) {
					return
				}
			}
		}
	}
}

// Part is a model of some regions.
type Part struct {
	Model *graphops.Model
	// Inputs are its cut values, each an input with the value's name.
	Inputs []graphops.ValueID
	// Outputs are the names of the requested values in it, in the requested order.
	Outputs []string
}

// Part returns a model of the regions of some cut values. types returns the types of what cut
// values are fed with, if known. Sizes are left open, because the fed values may have other sizes
// than those for which the model was made.
func (c *Cut) Part(values []graphops.ValueID, types func(graphops.ValueID) graphops.Type) Part {
	var p Part
	keep, reads := map[int]bool{}, map[graphops.ValueID]bool{}
	for _, v := range values {
		for _, i := range c.walks[v].nodes {
			keep[i] = true
		}
		for _, u := range c.walks[v].inputs {
			reads[u] = c.at[u]
		}
		p.Outputs = append(p.Outputs, c.made[c.index.Name(v)])
	}
	for u, cut := range reads {
		if cut {
			p.Inputs = append(p.Inputs, u)
		}
	}
	slices.Sort(p.Inputs)
	inputs := make([]*graphops.ValueInfo, len(p.Inputs))
	for i, u := range p.Inputs {
		inputs[i] = open(c.index.Name(u), types(u))
	}
	p.Model = build(c.model, func(i int) bool { return keep[i] }, inputs, untyped(p.Outputs), c.made, false)
	return p
}
