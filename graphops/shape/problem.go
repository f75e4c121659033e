package shape

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops/dim"
)

// problem records a contradiction at an input, or at no input if it is -1.
func (c *call) problem(input int, text string) {
	c.problems = append(c.problems, Problem{Place: c.place, Node: c.pos, Other: c.maker(input), Text: text})
}

// maker returns the node that produces an input, or -1.
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

// describe names an input with its type and the node that produces it.
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

// brief returns the type as text, shortened for a message.
func (t Type) brief() string {
	length := 0
	for _, d := range t.Dims {
		if length += len(d.String()); length > dim.MaxText {
			return fmt.Sprintf("%s of rank %d", t.Elem, len(t.Dims))
		}
	}
	return t.String()
}

// brief formats numbers as a list, shortened for a message.
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

// same requires that axes of two inputs have the same size, and returns it. If they cannot be
// equal, that is a problem.
func (c *call) same(i, axis, j, other int) dim.Dim {
	a, b := c.dims(i)[axis], c.dims(j)[other]
	return c.demand(Source{a, i, axis}, Source{b, j, other})
}

// demand requires two sizes to be equal, and returns the one with more information.
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

// unbroadcast reports that two sizes cannot be broadcast.
func (c *call) unbroadcast(a, b Source) {
	last := strings.TrimSuffix(axisText(b), ",")
	c.problem(b.Input, fmt.Sprintf("%s and %s do not broadcast: %s and %s", c.describe(a.Input), c.describe(b.Input), axisText(a), last))
	c.note(a, b, Broadcasts, "")
}

// axisText formats a size in the middle of a sentence.
func axisText(s Source) string {
	if s.Axis < 0 {
		return sizeText(s.Size)
	}
	return fmt.Sprintf("axis %d, which is %s,", s.Axis, sizeText(s.Size))
}

// sizeText formats a size, shortened for a message.
func sizeText(d dim.Dim) string {
	if s := d.String(); len(s) <= dim.MaxText {
		return s
	}
	return "a symbol with a long name"
}

// known returns the one of two equal sizes with more information: a number before an expression
// before an unknown.
func known(a, b dim.Dim) dim.Dim {
	_, number := b.Number()
	if number || !a.Known() && b.Known() {
		return b
	}
	return a
}

// broadcast returns the broadcast shape of inputs, nil if a rank is unknown.
func (c *call) broadcast(inputs ...int) []dim.Dim {
	rank := 0
	for _, i := range inputs {
		d := c.dims(i)
		if d == nil {
			return nil
		}
		rank = max(rank, len(d))
	}
	if c.areEqual(inputs) {
		return c.dims(inputs[0])
	}
	c.made = slices.Grow(c.made[:0], rank)
	for axis := range rank {
		c.made = append(c.made, c.broadcastAxis(inputs, rank, axis))
	}
	out := c.wholeWhereCut(c.made, inputs)
	for _, i := range inputs { // most results are as large as an operand, and share its sizes
		if slices.EqualFunc(out, c.dims(i), dim.Dim.Equal) {
			return c.dims(i)
		}
	}
	return slices.Clone(out)
}

// areEqual reports whether inputs certainly have the same sizes, so that their broadcast has them too.
func (c *call) areEqual(inputs []int) bool {
	for _, i := range inputs {
		if !slices.EqualFunc(c.dims(inputs[0]), c.dims(i), dim.Dim.Equal) {
			return false
		}
	}
	return len(inputs) > 0
}

// wholeWhereCut simplifies sizes such as min(64,n). If one operand of a broadcast has size
// min(64,n) because it was cut from a table of 64 rows, and another has size n, the operator only
// has a result if n is at most 64. Then both sizes are n, so the result has size n.
func (c *call) wholeWhereCut(out []dim.Dim, inputs []int) []dim.Dim {
	for axis := range out {
		c.differ = c.sizesAt(c.differ[:0], inputs, axis-len(out))
		sizes := c.differ
		if len(sizes) < 2 {
			continue
		}
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

// sizesAt appends the different sizes of inputs at an axis, counted from the end with -1 for the
// last, to an empty list.
func (c *call) sizesAt(sizes []dim.Dim, inputs []int, axis int) []dim.Dim {
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
