package shape

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops/dim"
)

// problem records a contradiction, about an input unless that is -1.
func (c *call) problem(input int, text string) {
	c.problems = append(c.problems, Problem{Place: c.place, Node: c.pos, Other: c.maker(input), Text: text})
}

// maker is the node that makes an input, or -1.
func (c *call) maker(input int) int {
	if input < 0 || !c.has(input) {
		return -1
	}
	id, ok := c.index.Value(c.node.Inputs()[input])
	if !ok {
		return -1
	}
	return c.index.Producer(id)
}

// describe names an input with its type and the node that made it.
func (c *call) describe(i int) string {
	if i < 0 || i >= len(c.in) {
		return "the operator"
	}
	s := fmt.Sprintf("input %q (%s", c.node.Inputs()[i], c.input(i).Type.brief())
	if m := c.maker(i); m >= 0 {
		s += " from " + NodeName(m, c.place.Graph.Nodes()[m])
	}
	return s + ")"
}

// brief is the type as text that a message has room for.
func (t Type) brief() string {
	length := 0
	for _, d := range t.Dims {
		if length += len(d.String()); length > dim.MaxText {
			return fmt.Sprintf("%s of rank %d", t.Elem, len(t.Dims))
		}
	}
	return t.String()
}

// brief writes numbers as a list that a message has room for.
func brief(list []int64) string {
	if len(list) <= maxRank {
		return fmt.Sprint(list)
	}
	return fmt.Sprintf("of %d numbers", len(list))
}

func (c *call) badSize(value string, axis int, d dim.Dim) {
	if err := d.Err(); err != nil {
		c.problem(-1, fmt.Sprintf("output %q, axis %d: %v", value, axis, err))
		return
	}
	c.problem(-1, fmt.Sprintf("output %q, axis %d would have the size %s", value, axis, d))
}

// same demands that an axis of one input and an axis of another one have one
// size, and is that size. Where they cannot be equal, that is a problem.
func (c *call) same(i, axis, j, other int) dim.Dim {
	a, b := c.dims(i)[axis], c.dims(j)[other]
	return c.demand(Source{a, i, axis}, Source{b, j, other})
}

// demand requires two sizes to be equal, and is the one that more is known of.
func (c *call) demand(a, b Source) dim.Dim {
	if dim.Apart(a.Size, b.Size) {
		c.unequal(a, b)
	}
	c.note(a, b, Equals, "")
	return known(a.Size, b.Size)
}

// unequal reports that two sizes should be equal.
func (c *call) unequal(a, b Source) {
	c.problem(b.Input, fmt.Sprintf("%s and %s: %s and %s should be equal", c.describe(a.Input), c.describe(b.Input), axisText(a), axisText(b)))
}

// unbroadcast reports that two sizes do not broadcast.
func (c *call) unbroadcast(a, b Source) {
	last := strings.TrimSuffix(axisText(b), ",")
	c.problem(b.Input, fmt.Sprintf("%s and %s do not broadcast: %s and %s", c.describe(a.Input), c.describe(b.Input), axisText(a), last))
	c.note(a, b, Broadcasts, "")
}

// axisText is a size within a sentence that goes on.
func axisText(s Source) string {
	if s.Axis < 0 {
		return sizeText(s.Size)
	}
	return fmt.Sprintf("axis %d, which is %s,", s.Axis, sizeText(s.Size))
}

// sizeText is a size as text that a message has room for.
func sizeText(d dim.Dim) string {
	if s := d.String(); len(s) <= dim.MaxText {
		return s
	}
	return "a symbol with a long name"
}

// known is the one of two equal sizes that more is known of: a number before an
// expression before an unknown.
func known(a, b dim.Dim) dim.Dim {
	_, number := b.Number()
	if number || !a.Known() && b.Known() {
		return b
	}
	return a
}

// broadcast is the shape that inputs have in common by the rules of broadcasting,
// nil where a rank is not known.
func (c *call) broadcast(inputs ...int) []dim.Dim {
	rank := 0
	for _, i := range inputs {
		d := c.dims(i)
		if d == nil {
			return nil
		}
		rank = max(rank, len(d))
	}
	out := make([]dim.Dim, rank)
	for axis := range out {
		out[axis] = c.broadcastAxis(inputs, rank, axis)
	}
	return c.wholeWhereCut(out, inputs)
}

// wholeWhereCut takes bounds off sizes that are known to hold when the operator gives
// something. A mask that is cut from a table of 64 positions, min(64,n), goes with n of
// something else if n is at most 64, so behind it there is no need to say so.
func (c *call) wholeWhereCut(out []dim.Dim, inputs []int) []dim.Dim {
	for axis := range out {
		sizes := c.sizesAt(inputs, axis-len(out))
		for _, cut := range sizes {
			for _, whole := range sizes {
				least, ok := cut.MinBeside(whole)
				if low, _ := least.Bounds(); !ok || low < 2 {
					continue
				}
				for i, d := range out {
					out[i] = d.WhereAtMost(whole, least)
				}
			}
		}
	}
	return out
}

// sizesAt are the sizes of inputs at an axis that is counted from the end, -1 being the
// last, each once.
func (c *call) sizesAt(inputs []int, axis int) []dim.Dim {
	var sizes []dim.Dim
	for _, i := range inputs {
		if at := axis + len(c.dims(i)); at >= 0 && !slices.ContainsFunc(sizes, c.dims(i)[at].Equal) {
			sizes = append(sizes, c.dims(i)[at])
		}
	}
	return sizes
}

func (c *call) broadcastAxis(inputs []int, rank, axis int) dim.Dim {
	out, from := dim.Number(1), Source{Input: -1}
	for _, i := range inputs {
		at := axis - rank + len(c.dims(i))
		if at < 0 {
			continue
		}
		d := c.dims(i)[at]
		next, ok := out.Broadcast(d)
		here := Source{d, i, at}
		switch {
		case !ok:
			c.unbroadcast(from, here)
			return dim.Unknown()
		case from.Input >= 0 && !d.Is(1) && !out.Is(1):
			c.note(from, here, Broadcasts, "")
		}
		if from.Input < 0 || !next.Equal(out) {
			from = here
		}
		out = next
	}
	return out
}
