package axes

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// maxRounds is the maximum number of rounds of the search for pins. A solution can make another
// size known, so that the next round solves an equation that this one could not.
const maxRounds = 20

// findPins finds the constants that do not fit other sizes of the freed axes, and the expressions
// that fit instead.
func (c *changer) findPins() error {
	t := &tagger{byKey: map[tagKey]*tag{}, seen: map[shape.Edge]int{}, sizes: c.report.Sizes}
	for round := 0; round < maxRounds; round++ {
		solved, left, err := c.round(t, false)
		if err != nil {
			return err
		}
		if solved == 0 && left > 0 {
			if solved, _, err = c.round(t, true); err != nil {
				return err
			}
		}
		if solved == 0 {
			break
		}
		if round == maxRounds-1 {
			c.warn("the search for pins stopped after %d rounds; there may be more pins", maxRounds)
		}
	}
	c.tagger = t
	return c.leftDemands()
}

// round infers the shapes with a symbol in place of each constant that may be a size, and solves
// the equations that do not hold, in node order. For each node, the equations of expected come
// before the demands. If axes is set, sizes of stored tensors are considered instead of elements.
// solved and left are the numbers of equations that it could and could not solve.
func (c *changer) round(t *tagger, axes bool) (solved, left int, err error) {
	t.open, t.axes = true, axes
	var visits []shape.Visit
	r, err := shape.Infer(c.ctx, c.model, shape.Options{Fresh: true, Assume: t.assume, Visit: func(v shape.Visit) {
		visits = append(visits, v)
	}})
	if err != nil {
		return 0, 0, err
	}
	demands := map[[2]int][]equation{}
	var all []equation
	for _, d := range r.Demands {
		k := [2]int{d.Place.ID, d.Node}
		e := equationOf(d)
		demands[k], all = append(demands[k], e), append(all, e)
	}
	t.anchor(all)
	for at, v := range visits {
		for k := range v.In {
			t.seen[shape.Edge{Place: v.Place, Node: v.Index, Input: k}] = at
		}
		k := [2]int{v.Place.ID, v.Index}
		for _, e := range slices.Concat(t.expected(v), demands[k]) {
			switch {
			case t.holds(e), !e.solvable():
			case t.solve(t.widened(e)):
				solved++
			case e.must, e.rows:
				left++
			}
		}
		delete(demands, k) // a function is visited at each call, its demands are reported once
	}
	return solved, left, nil
}

// leftDemands infers the shapes with the solutions in place of the constants, and reports the
// demands that still do not hold. No other constant can meet them.
func (c *changer) leftDemands() error {
	t := c.tagger
	t.open = false
	r, err := shape.Infer(c.ctx, c.model, shape.Options{Fresh: true, Assume: t.assume})
	if err != nil {
		return err
	}
	if err := c.checkClaims(r); err != nil {
		return err
	}
	for _, d := range r.Demands {
		if !d.Tolerated && !asksForRoom(d) && !t.holds(equationOf(d)) {
			if err := c.leave(d); err != nil {
				return err
			}
		}
	}
	return nil
}

// asksForRoom reports whether a demand is that a size is at least some number, for example that of
// a window. Such a demand is not reported, because no model accepts arbitrarily small sizes.
func asksForRoom(d shape.Demand) bool {
	_, number := d.A.Size.Number()
	return d.Relation == shape.AtMost && number
}

// leave reports a demand that cannot be met: as a pin if it requires a number, otherwise as a
// warning. It returns an error if the runtime would not load the model, or if several axes share
// the symbol: one of them must be the number, so that they cannot all have the same size.
func (c *changer) leave(d shape.Demand) error {
	if !equationOf(d).solvable() {
		c.warnOnce("%s works only where %s", shape.NodeName(d.Node, d.Place.Graph.Nodes()[d.Node]), d.Condition())
		return nil
	}
	n := d.Place.Graph.Nodes()[d.Node]
	a, b := d.A, d.B
	if c.tagger.depends(b.Size) {
		a, b = b, a
	}
	number, fixed := b.Size.Number()
	if fixed && d.Loading {
		return fmt.Errorf("%s: axis %s cannot be dynamic: the runtime needs the number %d there to load the model", shape.NodeName(d.Node, n), axisOf(a), number)
	}
	for symbol := range c.report.Sizes {
		if axes := c.named[symbol]; fixed && len(axes) > 1 && mentions(a.Size, symbol) {
			return fmt.Errorf("%s: axis %s cannot be dynamic: it needs %s = %d; axes that share the name %q: %s",
				shape.NodeName(d.Node, n), axisOf(a), a.Size, number, symbol, graphops.QuoteNames(axes))
		}
	}
	if !fixed {
		d.A, d.B = a, b
		c.warnOnce("%s works only where %s", shape.NodeName(d.Node, n), d.Condition())
		return nil
	}
	value := ""
	ofOperator := b.Input == a.Input && b.Axis < 0 // a requirement of the operator on its own input
	if b.Input >= 0 && b.Input < len(n.Inputs()) && !ofOperator {
		value = n.Inputs()[b.Input]
	}
	p := Pin{
		Place: c.original.Places()[d.Place.ID], Node: d.Node, Value: value, Axis: max(b.Axis, 0), Stored: b.Axis >= 0, Constant: number, Needs: a.Size.String(),
		Repair: fmt.Sprintf("none: %s has that size", c.describe(d.Place, value)),
	}
	if value == "" {
		p.Repair = "none: the operator allows no other size"
	} else if p.Stored && a.Input >= 0 && a.Input < len(n.Inputs()) && computes(p.Place, value) {
		p.Demand = fmt.Sprintf("axis %d of %q and axis %d of %q must be equal", a.Axis, n.Inputs()[a.Input], b.Axis, value)
		if a.Axis == b.Axis {
			p.Demand = fmt.Sprintf("axis %d of %q and %q must be equal", a.Axis, n.Inputs()[a.Input], value)
		}
		if d.Relation == shape.Broadcasts {
			p.Demand += ", or one of them 1"
		}
	}
	if !slices.Contains(c.report.Pins, p) { // a function makes the demand at each call
		c.report.Pins = append(c.report.Pins, p)
	}
	return nil
}

// computes reports whether a node of the place computes a value from others.
func computes(p *graphops.Place, value string) bool {
	x := p.Graph.Index()
	v, ok := x.Value(value)
	return ok && x.Producer(v) >= 0 && len(p.Graph.Nodes()[x.Producer(v)].Inputs()) > 0
}

// warnOnce adds a warning unless it was added before. A node can be visited several times, for
// example at each call of a function.
func (c *changer) warnOnce(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.report.Warnings, text) {
		c.report.Warnings = append(c.report.Warnings, text)
	}
}

func axisOf(s shape.Source) string { return fmt.Sprintf("%d of input %d", s.Axis, s.Input) }

func mentions(d dim.Dim, symbol string) bool {
	found := false
	d.Symbols(func(s string) { found = found || s == symbol })
	return found
}

// describe says what the value is for a message: a weight, the output of a node, or an input. The
// value may be defined in a place that encloses p.
func (c *changer) describe(p *graphops.Place, value string) string {
	for ; p != nil; p = p.Parent {
		x := p.Graph.Index()
		id, ok := x.Value(value)
		switch {
		case !ok || !x.IsDefined(id):
		case x.IsInitializer(id):
			return fmt.Sprintf("weight %q", value)
		case x.Producer(id) >= 0:
			i := x.Producer(id)
			return fmt.Sprintf("the output of %s", shape.NodeName(i, p.Graph.Nodes()[i]))
		case p.Kind == graphops.MainGraph:
			return fmt.Sprintf("input %q, which may have to become dynamic too,", value)
		default:
			return fmt.Sprintf("value %q", value)
		}
	}
	return "the operator"
}
