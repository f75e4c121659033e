package shape

import (
	"fmt"

	"lathe/graphops/dim"
)

// language has the rules of operators of language models other than attention.
var language = family{"RotaryEmbedding": rotaryEmbedding, "LinearAttention": linearAttention, "SwiGLU": gated}

func rotaryEmbedding(c *call) {
	firstShape(c)
	x := c.rankIn(0, 3, 4)
	if x == nil {
		return
	}
	batch, steps := x[0], x[len(x)-2]
	if n := c.attrInt("num_heads", 0); len(x) == 3 && n < 1 {
		c.problem(0, fmt.Sprintf("%s has 3 axes, and num_heads is %d, expected at least 1", c.describe(0), n))
		return
	}
	rotated := x[len(x)-1]
	if len(x) == 3 {
		rotated = c.portion(0, x[2], dim.Number(c.attrInt("num_heads", 0)))
	}
	c.expect(3, "batch × steps", batch, steps)
	if n := c.attrInt("rotary_embedding_dim", 0); n > 0 {
		rotated = dim.Number(n)
	}
	for _, i := range []int{1, 2} {
		c.note(Source{c.extent(i, -1).Mul(dim.Number(2)), i, -1}, Source{rotated, 0, -1}, Equals, "")
		if c.has(3) {
			c.rankIn(i, 2)
			c.atLeast(c.axisSource(i, 0), steps, rowsThere)
			c.indexes(3, c.axisSource(i, 0))
		} else if d := c.dims(i); len(d) > 0 {
			c.expect(i, "batch × steps × half of what is rotated", batch, steps, d[len(d)-1])
		}
	}
}

func linearAttention(c *call) {
	const form = "batch × steps × heads*size"
	var size [3]dim.Dim
	var batch, steps dim.Dim
	for i, name := range []string{"q_num_heads", "kv_num_heads", "kv_num_heads"} {
		n := c.attrInt(name, 0)
		if n < 1 {
			c.problem(-1, fmt.Sprintf("%s is %d, expected at least 1", name, n))
		}
		size[i] = dim.Unknown()
		d := c.rankIn(i, 3)
		if d != nil {
			size[i] = c.portion(i, d[2], dim.Number(n))
		}
		if i == 0 {
			batch, steps = c.leading(0)
		} else if d != nil {
			c.expect(i, form, batch, steps, d[2])
		}
	}
	count := c.headsOf("kv_num_heads")
	state := []dim.Dim{batch, count, known(size[0], size[1]), size[2]}
	c.expect(3, "batch × heads × size of a key × size of a value", state...)
	c.outDims(0, []dim.Dim{batch, steps, c.headsOf("q_num_heads").Mul(size[2])})
	if !c.has(3) {
		c.outTensor(1, c.elem(0), state) // a new state has the type of the queries
		return
	}
	c.outDims(1, state)
}

// leading returns the first two sizes of an input with 3 axes.
func (c *call) leading(i int) (batch, steps dim.Dim) {
	if d := c.dims(i); len(d) == 3 {
		return d[0], d[1]
	}
	return dim.Unknown(), dim.Unknown()
}

func (c *call) headsOf(attribute string) dim.Dim {
	if n := c.attrInt(attribute, 0); n > 0 {
		return dim.Number(n)
	}
	return dim.Unknown()
}

// gated is the rule of SwiGLU. Both operands and the result have the same shape.
func gated(c *call) {
	a, b := c.dims(0), c.dims(1)
	if a == nil {
		c.outDims(0, b)
		return
	}
	c.expect(1, "of the same shape as the gate", a...)
	firstShape(c)
}
