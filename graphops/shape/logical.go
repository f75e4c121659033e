package shape

import "lathe/graphops/dim"

// logical has the rules of comparisons, boolean operators, and Where.
var logical = family{
	"Equal": arithmetic(elem.same), "Less": arithmetic(elem.less), "Greater": arithmetic(func(a, b elem) elem { return b.less(a) }),
	"LessOrEqual": arithmetic(func(a, b elem) elem { return b.less(a).not() }), "GreaterOrEqual": arithmetic(func(a, b elem) elem { return a.less(b).not() }),
	"And": arithmetic(elem.and), "Or": arithmetic(elem.or), "Xor": arithmetic(func(a, b elem) elem { return a.same(b).not() }), "Not": mapped(elem.not),
	"IsNaN": firstShape, "IsInf": firstShape,
	"Where": where,
}

// same returns whether two elements are equal.
func (e elem) same(o elem) elem {
	x, y, _, ok := both(e, o)
	if !ok {
		return compared(e, o, func(x, y float64) bool { return x == y })
	}
	switch {
	case x.Equal(y):
		return boolElem(true)
	case dim.Apart(x, y):
		return boolElem(false)
	default:
		return unknownTruth()
	}
}

// less returns whether an element is less than another one for all sizes of the symbols.
func (e elem) less(o elem) elem {
	x, y, _, ok := both(e, o)
	if !ok {
		return compared(e, o, func(x, y float64) bool { return x < y })
	}
	switch {
	case x.AtLeast(y):
		return boolElem(false)
	case y.AtLeast(x.Add(dim.Number(1))):
		return boolElem(true)
	default:
		return unknownTruth()
	}
}

func compared(a, b elem, f func(x, y float64) bool) elem {
	x, okA := a.number()
	y, okB := b.number()
	if !okA || !okB {
		return unknownTruth()
	}
	return boolElem(f(x, y))
}

// unknownTruth is 0 or 1.
func unknownTruth() elem { return elem{num: dim.Unknown().Min(dim.Number(1)), den: 1} }

func (e elem) not() elem {
	if v, ok := e.truth(); ok {
		return boolElem(!v)
	}
	return unknownTruth()
}

func (e elem) and(o elem) elem { return decided(e, o, false) }
func (e elem) or(o elem) elem  { return decided(e, o, true) }

// decided is a boolean operator whose result is by if one operand is by.
func decided(a, b elem, by bool) elem {
	x, okA := a.truth()
	y, okB := b.truth()
	switch {
	case okA && x == by || okB && y == by:
		return boolElem(by)
	case okA && okB:
		return boolElem(!by)
	default:
		return unknownTruth()
	}
}

func where(c *call) {
	dims := c.broadcast(0, 1, 2)
	c.outDims(0, dims)
	into, ok := fixed(dims)
	if _, small := count(dims); !ok || !small {
		return
	}
	cond, yes, no := c.spreadTo(0, into), c.spreadTo(1, into), c.spreadTo(2, into)
	if cond == nil {
		return
	}
	out := make([]elem, len(cond))
	for i, e := range cond {
		out[i] = either(e, yes, no, i)
	}
	c.outElems(0, out)
}

// either returns the element that a condition chooses. The lists may be unknown.
func either(cond elem, yes, no []elem, i int) elem {
	v, ok := cond.truth()
	switch {
	case ok && v && yes != nil:
		return yes[i]
	case ok && !v && no != nil:
		return no[i]
	case !ok && yes != nil && no != nil && yes[i].equal(no[i]):
		return yes[i]
	default:
		return unknownElem()
	}
}
