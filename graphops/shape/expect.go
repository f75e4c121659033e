package shape

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops/dim"
)

// expect requires sizes of an input, if it is given. form describes them.
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

// rankIn returns the sizes of an input that must have one of the given ranks. It returns nil if
// the rank is unknown, or a different one, which is a problem.
func (c *call) rankIn(i int, ranks ...int) []dim.Dim {
	d := c.dims(i)
	if d == nil || slices.Contains(ranks, len(d)) {
		return d
	}
	c.problem(i, fmt.Sprintf("%s should have rank %s", c.describe(i), anyOf(ranks)))
	return nil
}

// firstRankFrom returns the sizes of the first input, which must have at least the given rank;
// see rankIn.
func (c *call) firstRankFrom(least int) []dim.Dim { return c.rankFrom(0, least) }

// rankFrom returns the sizes of an input that must have at least the given rank.
func (c *call) rankFrom(i, least int) []dim.Dim {
	d := c.dims(i)
	if d == nil || len(d) >= least {
		return d
	}
	c.problem(i, fmt.Sprintf("%s should have at least rank %d", c.describe(i), least))
	return nil
}

// expectOne requires that an input, if it is given, is a scalar or a vector with one element.
func (c *call) expectOne(i int) {
	d := c.dims(i)
	if len(d) > 1 || len(d) == 1 && dim.Apart(d[0], dim.Number(1)) {
		c.problem(i, c.describe(i)+" should have one element")
	}
	if len(d) == 1 {
		c.note(Source{d[0], i, 0}, Source{dim.Number(1), i, -1}, Equals, "")
	}
}

// expectShape requires that an input with a shape is a list. Runtimes accept constants with any
// number of axes.
func (c *call) expectShape(i int) {
	if !c.isConstant(i) {
		c.rankIn(i, 1)
	}
}

// anyOf formats numbers as "2, 3 or 4".
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

// portion returns the size of one part if a size of an input is divided into n equal parts. If it
// cannot be divided, that is a problem.
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
		c.problem(i, fmt.Sprintf("%s: %d is not a multiple of %d", c.describe(i), total, parts))
		return dim.Unknown()
	default:
		c.partsInto(i, size, n)
		return size.FloorDiv(n)
	}
}
