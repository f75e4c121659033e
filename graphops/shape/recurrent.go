package shape

import (
	"fmt"

	"lathe/graphops/dim"
)

// recurrent has the rules of layers that run along a sequence. Their weights are one matrix, with
// the gates one after the other.
var recurrent = family{"RNN": recurrence(1), "GRU": recurrence(3), "LSTM": recurrence(4)}

func recurrence(gates int64) rule {
	return func(c *call) {
		l := c.layer(gates)
		// Layout 1 has the batch first, also in states.
		if c.attrInt("layout", 0) != 0 {
			c.outDims(0, []dim.Dim{l.batch, l.steps, l.directions, l.hidden})
			l.state = []dim.Dim{l.batch, l.directions, l.hidden}
		} else {
			c.outDims(0, []dim.Dim{l.steps, l.directions, l.batch, l.hidden})
			l.state = []dim.Dim{l.directions, l.batch, l.hidden}
		}
		c.outDims(1, l.state)
		c.outDims(2, l.state)
		c.expectWeights(l)
	}
}

// layer are the sizes of a recurrent layer.
type layer struct {
	gates                                      dim.Dim
	steps, batch, features, directions, hidden dim.Dim
	state                                      []dim.Dim
}

func (c *call) layer(gates int64) layer {
	l := layer{gates: dim.Number(gates), directions: c.directions(), hidden: c.hidden()}
	x := c.rankIn(0, 3)
	if x == nil {
		x = unknownDims(3)
	}
	l.steps, l.batch, l.features = x[0], x[1], x[2]
	if c.attrInt("layout", 0) != 0 {
		l.steps, l.batch = l.batch, l.steps
	}
	return l
}

// directions returns 2 for a bidirectional layer, and 1 otherwise.
func (c *call) directions() dim.Dim {
	switch d := c.attrText("direction", "forward"); d {
	case "forward", "reverse":
		return dim.Number(1)
	case "bidirectional":
		return dim.Number(2)
	default:
		c.problem(-1, fmt.Sprintf("direction is %q, expected forward, reverse or bidirectional", d))
		return dim.Unknown()
	}
}

// hidden returns the size of the state, from an attribute or from the recurrent weights.
func (c *call) hidden() dim.Dim {
	if _, given := c.attr("hidden_size"); given {
		n := c.attrInt("hidden_size", 0)
		if n > 0 {
			return dim.Number(n)
		}
		c.problem(-1, fmt.Sprintf("hidden_size is %d, expected at least 1", n))
		return dim.Unknown()
	}
	if r := c.dims(2); len(r) == 3 {
		return r[2]
	}
	return dim.Unknown()
}

// expectWeights requires the sizes of weights, biases and states.
func (c *call) expectWeights(l layer) {
	rows := l.hidden.Mul(l.gates)
	c.expect(1, "directions × gates*hidden × features", l.directions, rows, l.features)
	c.expect(2, "directions × gates*hidden × hidden", l.directions, rows, l.hidden)
	c.expect(3, "directions × 2*gates*hidden", l.directions, rows.Mul(dim.Number(2)))
	c.expect(4, "the length of each sequence of the batch", l.batch)
	c.expect(5, "a state for each direction and sequence", l.state...)
	c.expect(6, "a state for each direction and sequence", l.state...)
	c.expect(7, "directions × 3*hidden", l.directions, l.hidden.Mul(dim.Number(3)))
}
