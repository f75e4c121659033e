package edit

import "lathe/graphops"

// constness determines which values do not depend on inputs of the graph: constants, and values
// that are computed only from constants, such as a dequantized weight. A value on a cycle counts as
// dependent.
type constness struct {
	*edit
	state map[graphops.ValueID]constState
}

type constState uint8

const (
	isOpen constState = iota + 1 // its operands are being examined
	isConst
	isData
)

// dataAmong returns those of the values that depend on an input of the graph.
func (c *constness) dataAmong(ids []graphops.ValueID) []graphops.ValueID {
	var out []graphops.ValueID
	for _, id := range ids {
		if c.find(id); c.state[id] != isConst {
			out = append(out, id)
		}
	}
	return out
}

// find determines the state of a value. It does not use recursion, because a chain of nodes can be
// very long.
func (c *constness) find(id graphops.ValueID) {
	stack := []graphops.ValueID{id}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		i := c.index.Producer(v)
		switch {
		case c.state[v] == isConst || c.state[v] == isData:
			stack = stack[:len(stack)-1]
		case i < 0 || len(c.reads(i)) == 0:
			c.state[v] = c.stored(v)
		case c.state[v] == isOpen:
			c.state[v] = c.computed(i)
		default:
			c.state[v] = isOpen
			for _, in := range c.reads(i) {
				if c.state[in] == 0 {
					stack = append(stack, in)
				}
			}
		}
	}
}

// computed returns the state of a node's outputs. The states of its inputs must be known.
func (c *constness) computed(node int) constState {
	for _, in := range c.reads(node) {
		if c.state[in] != isConst {
			return isData
		}
	}
	return isConst
}

// stored returns the state of a value that is not computed from others. It is isConst for an
// initializer or Constant, also if a body captures it from an enclosing place.
func (c *constness) stored(id graphops.ValueID) constState {
	if isStored(c.graph, id) {
		return isConst
	}
	for _, captured := range c.place.Captures() {
		if captured.Value == id && captured.From != nil && isStored(captured.From.Graph, captured.Outer) {
			return isConst
		}
	}
	return isData
}

func isStored(g *graphops.Graph, id graphops.ValueID) bool {
	x := g.Index()
	i := x.Producer(id)
	return x.IsInitializer(id) || i >= 0 && g.Nodes()[i].IsConstant()
}
