package edit

import "lathe/graphops"

// constness determines which values do not depend on inputs: constants, and values computed only
// from constants, such as a dequantized weight. Values that depend on a cycle do not count.
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

// dataAmong returns those of some values that depend on inputs.
func (c *constness) dataAmong(ids []graphops.ValueID) []graphops.ValueID {
	var out []graphops.ValueID
	for _, id := range ids {
		if c.find(id); c.state[id] != isConst {
			out = append(out, id)
		}
	}
	return out
}

// find determines the state of a value. It uses its own stack instead of recursion, because a chain
// can be as long as the file.
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

// computed returns the state of a node's outputs from the states of its inputs.
func (c *constness) computed(node int) constState {
	for _, in := range c.reads(node) {
		if c.state[in] != isConst {
			return isData
		}
	}
	return isConst
}

// stored returns the state of a value without producer: whether the model stores it.
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
	return x.IsInitializer(id) || i >= 0 && isConstant(g.Nodes()[i])
}
