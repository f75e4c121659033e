package axes

import (
	"slices"

	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// equation says that two sizes must be in a relation, usually that they are equal.
type equation struct {
	a, b     dim.Dim
	relation shape.Relation
	// among lists the only tags for which the equation may be solved; nil means all.
	among []*tag
	wider *equation // to be solved instead if none of them is free
	must  bool      // a node demands it; otherwise it keeps an axis from getting lost
	count bool      // of elements, not of one axis
	// rows marks an equation between the number of rows of a stored tensor and that of the data.
	rows bool
}

// equationOf returns the equation for a demand.
func equationOf(d shape.Demand) equation {
	return equation{a: d.A.Size, b: d.B.Size, relation: d.Relation, must: true, count: d.A.Axis < 0 && d.B.Axis < 0}
}

// holds reports whether the equation holds with the solutions found so far. It is also true if the
// equation does not depend on freed axes, or if a size is unknown.
func (t *tagger) holds(e equation) bool {
	a, b := t.closed(e.a, nil), t.closed(e.b, nil)
	if a.Equal(b) || !t.depends(a) && !t.depends(b) || !a.Known() || !b.Known() {
		return true
	}
	switch e.relation {
	case shape.Broadcasts:
		return a.Is(1) || b.Is(1)
	case shape.Spreads:
		return a.Is(1)
	case shape.Multiple:
		_, whole := a.Quotient(b)
		return whole
	case shape.AtMost:
		return b.AtLeast(a)
	default:
		return false
	}
}

// solvable reports whether the relation determines a number, so that the equation can be solved for
// a constant. "Is a multiple of" and "is at most" do not.
func (e equation) solvable() bool {
	return e.relation == shape.Equals || e.relation == shape.Broadcasts || e.relation == shape.Spreads
}

// solve solves an equation that does not hold for the most plausible tag, and reports whether there
// is a solution.
func (t *tagger) solve(e equation) bool {
	var best *tag
	var solution dim.Dim
	for _, g := range t.in(e.a, e.b) {
		if e.among != nil && !slices.Contains(e.among, g) {
			continue
		}
		if to, ok := t.solveFor(e, g); ok && (best == nil || t.better(g, to, best, solution)) {
			best, solution = g, to
		}
	}
	if best == nil {
		return false
	}
	best.to, best.solved = solution, true
	return true
}

// better reports whether the solution to for the tag g is more plausible than the solution other
// for the tag than. The criteria, in order: no demand requires the constant of the tag as it is;
// the solution is simpler; the node that reads the constant comes later, and thus is the node with
// the equation or near it; the element comes first.
func (t *tagger) better(g *tag, to dim.Dim, than *tag, other dim.Dim) bool {
	if g.anchored != than.anchored {
		return than.anchored
	}
	if a, b := simplicity(to), simplicity(other); a != b {
		return a < b
	}
	if g.edge != than.edge {
		return t.seen[g.edge] > t.seen[than.edge]
	}
	return g.elem < than.elem
}

// anchor marks the tags whose constants other demands require as they are, for example because the
// constant must equal an axis of a weight.
func (t *tagger) anchor(list []equation) {
	for _, e := range list {
		tags := t.in(e.a, e.b)
		if !e.must || e.count || !e.solvable() || len(tags) != 1 || t.depends(e.a) || t.depends(e.b) || e.relation != shape.Equals && tags[0].was == 1 {
			continue
		}
		g := tags[0]
		x, y, linear := t.closed(e.a, g).Sub(t.closed(e.b, g)).Linear(g.name)
		_, number := x.Number()
		if linear && number && !x.Is(0) && y.Neg().Equal(x.Mul(dim.Number(g.was))) {
			g.anchored = true
		}
	}
}

// simplicity ranks solutions, the simplest with the lowest number: symbols, then products, then
// sums.
func simplicity(d dim.Dim) int {
	if _, ok := d.IsSymbol(); ok {
		return 0
	}
	return 1 + d.Terms()
}

// solveFor solves an equation for one tag. A solution must equal the tag's constant at the old
// sizes.
func (t *tagger) solveFor(e equation, g *tag) (dim.Dim, bool) {
	a, b := t.closed(e.a, g), t.closed(e.b, g)
	x, y, linear := a.Sub(b).Linear(g.name)
	if linear && !x.Is(0) {
		if to, whole := y.Neg().Quotient(x); whole && t.fits(to, g) {
			return to, true
		}
		return dim.Dim{}, false
	}
	for _, to := range t.multiples(g) {
		put := func(s string) (dim.Dim, bool) { return to, s == g.name }
		if a.Subst(put).Equal(b.Subst(put)) && t.fits(to, g) {
			return to, true
		}
	}
	return dim.Dim{}, false
}

// fits reports whether an expression depends on a freed axis and equals the tag's constant at the
// old sizes.
func (t *tagger) fits(to dim.Dim, g *tag) bool {
	return to.Known() && t.depends(to) && t.old(to).Is(g.was)
}

// multiples returns the multiples of single freed symbols that equal the tag's constant at the old
// sizes.
func (t *tagger) multiples(g *tag) []dim.Dim {
	var out []dim.Dim
	for _, s := range t.symbols() {
		if n := t.sizes[s]; n > 0 && g.was%n == 0 {
			out = append(out, dim.Symbol(s).Mul(dim.Number(g.was/n)))
		}
	}
	return out
}

// symbols returns the symbols of the freed axes, sorted.
func (t *tagger) symbols() []string {
	var out []string
	for s := range t.sizes {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}
