package region

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// Cut is a model that is cut at some of its values.
type Cut struct {
	model *graphops.Model
	graph *graphops.Graph
	index *graphops.Index
	at    []bool            // by value
	made  map[string]string // the names that cut values have as outputs
	place []int             // position of a node in topological order
	walks map[graphops.ValueID]walk
}

// walk is the region of a cut value: the nodes on all paths back from it to other cut values or
// inputs, and the values at which the paths end.
type walk struct {
	nodes  []int
	inputs []graphops.ValueID
}

// At cuts a model at some values. Each of them must be produced by a node of the main graph.
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

// Nodes returns the nodes in the region of a cut value, as indices in the main graph, producers
// first. A node can be in several regions: if it produces several cut values, or if several cut
// values depend on it with no other cut value between.
func (c *Cut) Nodes(v graphops.ValueID) []int { return c.walks[v].nodes }

// Inputs returns the values that a region reads from outside: other cut values, inputs of the
// model, and undefined values. Constants are not included. They are sorted by number.
func (c *Cut) Inputs(v graphops.ValueID) []graphops.ValueID { return c.walks[v].inputs }

// walk finds the region of a value. It goes back from the value to other cut values and to the
// inputs of the model.
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

// Reads yields the values that a node or one of its bodies reads.
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

// Part is a model that consists of some regions.
type Part struct {
	Model *graphops.Model
	// Inputs are the cut values that the regions read. Each is an input of the model, under the
	// value's own name.
	Inputs []graphops.ValueID
	// Outputs are the names that the requested cut values have as outputs of the model, in the
	// requested order.
	Outputs []string
}

// Part returns a model that consists of the regions of some cut values. types returns the type of a
// cut value that becomes an input, as far as it is known. Sizes are left unknown, because the
// values that are passed to a run may have other sizes than those that the model was made for.
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
