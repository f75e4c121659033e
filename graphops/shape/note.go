package shape

import "lathe/graphops/dim"

// note records the demand that two sizes are in a relation. It records nothing if a size is unknown
// or if the relation always holds. For two numbers it records a demand only if Options.Unmet is
// set, because rules report such contradictions as problems.
func (c *call) note(a, b Source, r Relation, why string) {
	if !a.Size.Known() || !b.Size.Known() || a.Size.Equal(b.Size) {
		return
	}
	x, number := a.Size.Number()
	y, numbers := b.Size.Number()
	if number && numbers && (!c.options.Unmet || r.Holds(x, y)) {
		return
	}
	switch r {
	case AtMost:
		if lo, _ := b.Size.Bounds(); number && lo >= x || b.Size.AtLeast(a.Size) {
			return
		}
	case Multiple:
		if _, whole := a.Size.Quotient(b.Size); whole {
			return
		}
	}
	c.addDemand(Demand{Place: c.place, Node: c.pos, A: a, B: b, Relation: r, Loading: c.loading, Tolerated: c.tolerated, why: why})
}

// limit is a demand of a place that is recorded only once, even if several nodes make it.
type limit struct {
	place     int
	a, b      string
	tolerated bool
}

// limit returns the demand as a limit.
func (d Demand) limit() limit {
	return limit{d.Place.ID, d.A.Size.String(), d.B.Size.String(), d.Tolerated}
}

// addDemand records a demand, unless it is a limit that is already recorded. Similar layers make
// the same demands on the same sizes.
func (e *engine) addDemand(d Demand) {
	if d.Relation == AtMost {
		key := d.limit()
		if e.limited(key) {
			return
		}
		if key.tolerated {
			insisted := key
			insisted.tolerated = false
			if e.limited(insisted) {
				return
			}
		}
		e.limits[key] = len(e.demands)
	}
	e.demands = append(e.demands, d)
}

// limited reports whether a limit is among the demands. A repeated inference discards demands,
// and others take their indices.
func (e *engine) limited(l limit) bool {
	at, ok := e.limits[l]
	return ok && at < len(e.demands) && e.demands[at].Relation == AtMost && e.demands[at].limit() == l
}

// whenLoading marks the demands made in f as Loading: ONNX Runtime checks them when it loads the
// model.
func (c *call) whenLoading(f func()) { marked(&c.loading, f) }

// tolerate marks the demands made in f as Tolerated.
func (c *call) tolerate(f func()) { marked(&c.tolerated, f) }

func marked(mark *bool, f func()) {
	was := *mark
	*mark = true
	f()
	*mark = was
}

// lists demands that an input is a list of n elements. The operator's rule reports lists of another
// known length.
func (c *call) lists(i int, n dim.Dim) {
	if d := c.dims(i); len(d) == 1 {
		c.note(Source{d[0], i, 0}, Source{n, i, -1}, Equals, "")
	}
}

// partsInto demands that a size of an input must be a multiple of another one. Known common factors
// of a number are removed first.
func (c *call) partsInto(i int, size, n dim.Dim) {
	if by, ok := n.Number(); ok && by > 0 && size.Known() {
		f := dim.Number(size.Factor(by))
		size, _ = size.Quotient(f)
		n = n.FloorDiv(f)
	}
	c.note(Source{size, i, -1}, Source{n, -1, -1}, Multiple, "")
}

// atLeast demands that a size must be at least another one.
func (c *call) atLeast(size Source, least dim.Dim, why string) {
	c.note(Source{least, size.Input, -1}, size, AtMost, why)
}

// filled demands that a resulting size is not 0.
func (c *call) filled(size dim.Dim) {
	c.tolerate(func() { c.atLeast(Source{size, 0, -1}, dim.Number(1), somethingLeft) })
}

// noneBelow0 demands that the elements of an input are not negative.
func (c *call) noneBelow0(i int, sizes []dim.Dim) {
	for _, size := range sizes {
		c.atLeast(Source{size, i, -1}, dim.Number(0), "")
	}
}

// roomFor demands that a window must fit into a size, including padding.
func (c *call) roomFor(window, room dim.Dim) {
	c.note(Source{window, -1, -1}, Source{room, 0, -1}, AtMost, "a window of %s must fit into %s")
}
