package simplify

import (
	"slices"

	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
)

// quotient is a value divided by the root of a mean of squares and a small number: top /
// √(mean(squared²) + epsilon). All normalizations have this in common.
type quotient struct {
	cluster
	top, squared *rewrite.Value
	axes         int // the mean is over this number of last axes
	epsilon      float64
	scale        *rewrite.Value // factor of the inverse root; nil for none
	rank         int            // largest rank of a constant
}

// quotientAt returns the quotient that a node computes, or nil. Exporters write it as a Div, or as
// a Mul by the inverse of the root.
func quotientAt(n *rewrite.Node) *quotient {
	if n.Is("Div") {
		q := &quotient{top: n.In(0)}
		q.root = n
		if v := q.squareRoot(n.In(1)); v != nil && q.divisor(v) {
			return q
		}
		return nil
	}
	if !n.Is("Mul") {
		return nil
	}
	for i := range 2 {
		q := &quotient{top: n.In(1 - i)}
		q.root = n
		if v := q.inverseRoot(n.In(i)); v != nil && q.divisor(v) {
			return q
		}
	}
	return nil
}

// squareRoot returns the argument if a value is a square root, or nil.
func (q *quotient) squareRoot(v *rewrite.Value) *rewrite.Value {
	if n := made(v, "Sqrt"); n != nil {
		q.add(n)
		return n.In(0)
	}
	if n := made(v, "Pow"); n != nil && q.constant(n.In(1), 0.5) {
		q.add(n)
		return n.In(0)
	}
	return nil
}

// inverseRoot returns the argument if a value is 1 divided by a square root, or nil.
func (q *quotient) inverseRoot(v *rewrite.Value) *rewrite.Value {
	n := made(v, "Reciprocal", "Div", "Pow", "Sqrt")
	var of *rewrite.Value
	switch {
	case n.Is("Reciprocal"):
		of = q.squareRoot(n.In(0))
	case n.Is("Div") && q.constant(n.In(0), 1):
		of = q.squareRoot(n.In(1))
	case n.Is("Pow") && q.constant(n.In(1), -0.5):
		of = n.In(0)
	case n.Is("Sqrt"):
		if inverse := made(n.In(0), "Reciprocal"); inverse != nil {
			q.add(inverse)
			of = inverse.In(0)
		}
	}
	if of != nil {
		q.add(n)
	}
	return of
}

// constant reports whether a value is a constant with one element, this number.
func (q *quotient) constant(v *rewrite.Value, want float64) bool {
	f, ok := scalar(v)
	if ok {
		q.rank = max(q.rank, len(v.Type().Dims))
	}
	return ok && f == want
}

// divisor finds mean(squared²) + epsilon, or only the mean, as the argument of the root.
func (q *quotient) divisor(v *rewrite.Value) bool {
	if mean := made(v, "ReduceMean"); mean != nil {
		return q.meanOfSquares(mean)
	}
	n := made(v, "Add")
	if n == nil {
		return false
	}
	for i := range 2 {
		f, ok := n.In(i).Float()
		mean := made(n.In(1-i), "ReduceMean")
		if ok && mean != nil && f >= 0 && f < 1 {
			q.rank = max(q.rank, len(n.In(i).Type().Dims))
			q.epsilon = f
			q.add(n)
			return q.meanOfSquares(mean)
		}
	}
	return false
}

func (q *quotient) meanOfSquares(n *rewrite.Node) bool {
	axes, ok := meanOver(n)
	q.axes = axes
	q.add(n)
	return ok && q.square(n.In(0))
}

// square finds the value of which v is the square.
func (q *quotient) square(v *rewrite.Value) bool {
	n := made(v, "Pow", "Mul")
	if n.Is("Mul") && n.In(0) == n.In(1) || n.Is("Pow") && q.constant(n.In(1), 2) {
		q.squared = n.In(0)
		q.add(n)
		return q.squared != nil
	}
	return false
}

// meanOver returns the number of last axes that a ReduceMean is over. ok is false if it does not
// keep them, if it does anything else, or if its axes depend on an unknown rank.
func meanOver(n *rewrite.Node) (last int, ok bool) {
	if n.Int("keepdims", 1) != 1 || !isFloat(n.In(0)) && !isDouble(n.In(0)) {
		return 0, false
	}
	axes, _ := n.Ints("axes")
	if n.Graph().Opset("") >= 18 {
		axes = nil
		if v := n.In(1); v != nil {
			if axes, ok = v.Ints(); !ok {
				return 0, false
			}
		}
		if len(axes) == 0 && n.Int("noop_with_empty_axes", 0) != 0 {
			return 0, false
		}
	}
	return lastAxes(axes, n.In(0).Type())
}

// lastAxes returns the number of axes if they are the last ones. An empty list means all.
func lastAxes(axes []int64, t shape.Type) (int, bool) {
	rank := int64(len(t.Dims))
	if len(axes) == 0 {
		return int(rank), t.Dims != nil && rank > 0
	}
	if len(axes) > mostAxes {
		return 0, false
	}
	seen := slices.Clone(axes)
	for i, a := range seen {
		if a >= 0 {
			if a >= rank {
				return 0, false // the rank is unknown, or the axis does not exist
			}
			seen[i] = a - rank
		}
	}
	slices.Sort(seen)
	for i, a := range seen {
		if a != int64(i-len(seen)) {
			return 0, false
		}
	}
	return len(seen), true
}
