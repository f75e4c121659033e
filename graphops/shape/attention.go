package shape

import (
	"fmt"

	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

const preview = "ai.onnx.preview"

var (
	attentions        = family{"Attention": attention}
	previewAttentions = family{"FlexAttention": flexAttention}
)

// heads are the sizes of queries, keys or values.
type heads struct{ batch, count, steps, size dim.Dim }

// heads reads an input with 4 axes, or with 3 axes if the heads are side by side in the last
// one. An attribute has their number.
func (c *call) heads(i int, attribute string) heads {
	d := c.rankIn(i, 3, 4)
	if d == nil {
		d = unknownDims(4)
	}
	if len(d) == 4 {
		return heads{d[0], d[1], d[2], d[3]}
	}
	n := c.attrInt(attribute, 0)
	if n < 1 {
		c.problem(i, fmt.Sprintf("%s has 3 axes, and %s is %d, expected at least 1", c.describe(i), attribute, n))
		return heads{d[0], dim.Unknown(), d[1], dim.Unknown()}
	}
	return heads{d[0], dim.Number(n), d[1], c.portion(i, d[2], dim.Number(n))}
}

func attention(c *call) {
	q, k, v := c.heads(0, "q_num_heads"), c.heads(1, "kv_num_heads"), c.heads(2, "kv_num_heads")
	c.matchHeads(q, k, v)
	total, past := k.steps, dim.Unknown()
	if c.has(4) {
		if d := c.dims(4); len(d) == 4 {
			past = d[2]
		}
		total = total.Add(past)
	}
	c.expect(4, "batch × heads × steps × size of a head", k.batch, k.count, past, k.size)
	c.expect(5, "batch × heads × steps × size of a head", v.batch, v.count, past, v.size)
	c.expect(6, "the length of each sequence of the batch", q.batch)
	scores := []dim.Dim{q.batch, q.count, q.steps, total}
	c.expectMask(3, scores)
	c.outAttended(q, v)
	c.outDims(1, []dim.Dim{k.batch, k.count, total, k.size})
	c.outDims(2, []dim.Dim{v.batch, v.count, total, v.size})
	c.outDims(3, scores)
}

// outAttended sets the result of an attention to the form that the queries have: 3 or 4 axes.
func (c *call) outAttended(q, v heads) {
	switch len(c.dims(0)) {
	case 4:
		c.outDims(0, []dim.Dim{q.batch, q.count, q.steps, v.size})
	case 3:
		c.outDims(0, []dim.Dim{q.batch, q.steps, q.count.Mul(v.size)})
	}
}

// matchHeads requires that the sizes of queries, keys and values match.
func (c *call) matchHeads(q, k, v heads) {
	for _, x := range []struct {
		i, j int
		a, b dim.Dim
	}{
		{0, 1, q.batch, k.batch},
		{1, 2, k.batch, v.batch},
		{1, 2, k.count, v.count},
		{1, 2, k.steps, v.steps},
		{0, 1, q.size, k.size},
	} {
		if c.has(x.i) && c.has(x.j) {
			c.demand(Source{x.a, x.i, -1}, Source{x.b, x.j, -1})
		}
	}
	c.note(Source{q.count, 0, 1}, Source{k.count, 1, 1}, Multiple, "")
	n, okN := q.count.Number()
	by, okBy := k.count.Number()
	if okN && okBy && by > 0 && n%by != 0 {
		c.problem(-1, fmt.Sprintf("the %d heads of queries are not a multiple of the %d heads of keys", n, by))
	}
}

// expectMask requires that a mask can be broadcast to the scores. Its last axis may be shorter.
func (c *call) expectMask(i int, scores []dim.Dim) {
	d := c.dims(i)
	if len(d) > len(scores) {
		c.problem(i, fmt.Sprintf("%s should have at most %d axes", c.describe(i), len(scores)))
		return
	}
	skip := len(scores) - len(d)
	for axis := max(len(d)-2, 0); axis < len(d); axis++ {
		c.tolerate(func() { c.note(Source{d[axis], i, axis}, Source{scores[skip+axis], i, -1}, Equals, "") })
	}
	for axis := range max(len(d)-1, 0) {
		if want := scores[skip+axis]; dim.Apart(d[axis], want) && dim.Apart(d[axis], dim.Number(1)) {
			c.problem(i, fmt.Sprintf("%s should be broadcast to scores of shape %s: axis %d is %s", c.describe(i), text(scores), axis, d[axis]))
			return
		}
		c.noteSpread(Source{d[axis], i, axis}, scores[skip+axis])
	}
}

// flexAttention is the rule of FlexAttention. Its bodies change scores and probabilities, but not
// their shape.
func flexAttention(c *call) {
	for i := range 3 {
		if c.dims(i) != nil && c.rankIn(i, 4) == nil {
			return
		}
	}
	q, k, v := c.heads(0, ""), c.heads(1, ""), c.heads(2, "")
	c.matchHeads(q, k, v)
	elem := tensor.F32
	if c.elem(0) == tensor.F64 {
		elem = tensor.F64
	}
	scores := tensorOf(c.elemOr("softmax_precision", elem), []dim.Dim{q.batch, q.count, q.steps, k.steps})
	for _, name := range []string{"score_mod", "prob_mod"} {
		if f := c.body(name); f != nil {
			f.feed(0, Value{Type: scores})
			f.run()
		}
	}
	c.outDims(0, []dim.Dim{q.batch, q.count, q.steps, v.size})
}
