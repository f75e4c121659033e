package shape

import (
	"fmt"

	"lathe/graphops/dim"
)

// expect demands sizes of an input, if it is there; form says what they are.
func (c *call) expect(i int, form string, want ...dim.Dim) {
	d := c.dims(i)
	if d == nil || !c.expectRank(i, form, len(want), len(want)) {
		return
	}
	for axis, size := range want {
		if apart(d[axis], size) {
			c.problem(i, fmt.Sprintf("%s should be %s, which is %s: axis %d is %s", c.describe(i), form, text(want), axis, d[axis]))
		}
		c.note(Source{d[axis], i, axis}, Source{size, i, -1}, false)
	}
}

// expectRank reports whether the rank of an input lies between two; that it does
// not is a problem, that it is not known is none.
func (c *call) expectRank(i int, form string, least, most int) bool {
	d := c.dims(i)
	if d != nil && (len(d) < least || len(d) > most) {
		c.problem(i, fmt.Sprintf("%s should be %s", c.describe(i), form))
		return false
	}
	return d != nil
}

// part is what each of n equal parts has of an axis of an input; what says what
// the parts are.
func (c *call) part(i, axis int, n int64, what string) dim.Dim {
	size := c.dims(i)[axis]
	if n < 1 {
		return dim.Unknown()
	}
	q, whole := size.Quotient(dim.Number(n))
	if number, ok := size.Number(); ok && !whole {
		c.problem(i, fmt.Sprintf("%s: axis %d, which is %d, does not part into %d %s", c.describe(i), axis, number, n, what))
		return dim.Unknown()
	}
	if whole {
		return q
	}
	return size.FloorDiv(dim.Number(n))
}
