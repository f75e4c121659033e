package shape

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops/dim"
)

// expect demands sizes of an input, if it is there; form says what they are.
func (c *call) expect(i int, form string, want ...dim.Dim) {
	d := c.dims(i)
	switch {
	case d == nil:
		return
	case len(d) != len(want):
		c.problem(i, fmt.Sprintf("%s should be %s", c.describe(i), form))
		return
	}
	for axis, size := range want {
		if dim.Apart(d[axis], size) {
			c.problem(i, fmt.Sprintf("%s should be %s, which is %s: axis %d is %s", c.describe(i), form, text(want), axis, d[axis]))
		}
		c.note(Source{d[axis], i, axis}, Source{size, i, -1}, Equals, form)
	}
}

// rankIn are the sizes of an input that should have one of some ranks: nil where its
// rank is not known, or, which is a problem, is another one.
func (c *call) rankIn(i int, ranks ...int) []dim.Dim {
	d := c.dims(i)
	if d == nil || slices.Contains(ranks, len(d)) {
		return d
	}
	c.problem(i, fmt.Sprintf("%s should have rank %s", c.describe(i), anyOf(ranks)))
	return nil
}

// firstRankFrom are the sizes of the first input, which should have a rank or a higher
// one, as rankIn tells them.
func (c *call) firstRankFrom(least int) []dim.Dim { return c.rankFrom(0, least) }

// rankFrom are the sizes of an input that should have a rank or a higher one.
func (c *call) rankFrom(i, least int) []dim.Dim {
	d := c.dims(i)
	if d == nil || len(d) >= least {
		return d
	}
	c.problem(i, fmt.Sprintf("%s should have rank %d or a higher one", c.describe(i), least))
	return nil
}

// expectOne demands that an input, if it is there, is a scalar or a vector of one
// element.
func (c *call) expectOne(i int) {
	d := c.dims(i)
	if len(d) > 1 || len(d) == 1 && dim.Apart(d[0], dim.Number(1)) {
		c.problem(i, c.describe(i)+" should have one element")
	}
	if len(d) == 1 {
		c.note(Source{d[0], i, 0}, Source{dim.Number(1), i, -1}, Equals, "")
	}
}

// expectShape demands that an input which holds a shape is a list. Of a constant
// runtimes take the elements, however many axes they lie in.
func (c *call) expectShape(i int) {
	if !c.isConstant(i) {
		c.rankIn(i, 1)
	}
}

// anyOf writes numbers as "2, 3 or 4".
func anyOf(list []int) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = fmt.Sprint(n)
	}
	if last := len(texts) - 1; last > 0 {
		return strings.Join(texts[:last], ", ") + " or " + texts[last]
	}
	return strings.Join(texts, "")
}

// portion is one of n equal parts of a size that comes from an input.
func (c *call) portion(i int, size, n dim.Dim) dim.Dim {
	if _, hi := n.Bounds(); hi < 1 {
		return dim.Unknown()
	}
	if q, whole := size.Quotient(n); whole {
		return q
	}
	total, isNumber := size.Number()
	parts, alsoNumber := n.Number()
	switch {
	case !size.Known() || !n.Known():
		return dim.Unknown()
	case isNumber && alsoNumber && c.has(i):
		c.problem(i, fmt.Sprintf("%s: %d does not part into %d", c.describe(i), total, parts))
		return dim.Unknown()
	default:
		c.partsInto(i, size, n)
		return size.FloorDiv(n)
	}
}
