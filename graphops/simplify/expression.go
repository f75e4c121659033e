package simplify

import (
	"math"

	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// power is the term x^i·t^j of two values. The fields x and t are the exponents.
type power struct{ x, t int }

// polynomial is a sum of powers with their factors.
type polynomial map[power]float64

// expression reads the nodes before a value as a polynomial in x, and in t if that is set.
// Constants must have one element. With a polynomial, the order of factors and summands does not
// matter, nor whether x³ is a Pow or a Mul of x and x².
type expression struct {
	x, t *rewrite.Value
	// nodes are those that were read, and rank is the largest rank of a constant.
	nodes []*rewrite.Node
	rank  int
}

const (
	maxDegree  = 4
	maxReading = 32 // nodes of one expression
)

func (e *expression) read(v *rewrite.Value) (polynomial, bool) {
	switch {
	case v == nil:
		return nil, false
	case v == e.x:
		return polynomial{{1, 0}: 1}, true
	case v == e.t:
		return polynomial{{0, 1}: 1}, true
	}
	if f, ok := v.Float(); ok {
		e.rank = max(e.rank, len(v.Type().Dims))
		return polynomial{{0, 0}: f}, true
	}
	n := made(v, "Add", "Sub", "Mul", "Div", "Pow", "Neg")
	if n == nil || len(e.nodes) == maxReading {
		return nil, false
	}
	e.nodes = append(e.nodes, n)
	a, ok := e.read(n.In(0))
	if !ok {
		return nil, false
	}
	switch n.Op() {
	case "Neg":
		return a.times(polynomial{{0, 0}: -1})
	case "Pow":
		return e.raised(a, n.In(1))
	}
	b, ok := e.read(n.In(1))
	if !ok {
		return nil, false
	}
	switch n.Op() {
	case "Add":
		return a.plus(b, 1), true
	case "Sub":
		return a.plus(b, -1), true
	case "Mul":
		return a.times(b)
	default:
		c, ok := b.constant()
		if !ok || c == 0 {
			return nil, false
		}
		return a.times(polynomial{{0, 0}: 1 / c})
	}
}

// raised returns a polynomial to the power of a small whole number.
func (e *expression) raised(p polynomial, exponent *rewrite.Value) (polynomial, bool) {
	f, ok := scalar(exponent)
	if !ok || f != math.Trunc(f) || f < 1 || f > maxDegree {
		return nil, false
	}
	e.rank = max(e.rank, len(exponent.Type().Dims))
	out := p
	for range int(f) - 1 {
		if out, ok = out.times(p); !ok {
			return nil, false
		}
	}
	return out, true
}

// scalar returns the only element of a numeric constant of any rank.
func scalar(v *rewrite.Value) (float64, bool) {
	if f, ok := v.Float(); ok {
		return f, true
	}
	if v.Constant() == nil {
		return 0, false
	}
	if ints, ok := v.Ints(); ok && len(ints) == 1 {
		return float64(ints[0]), true
	}
	return 0, false
}

func (p polynomial) plus(q polynomial, sign float64) polynomial {
	out := polynomial{}
	for k, f := range p {
		out[k] += f
	}
	for k, f := range q {
		out[k] += sign * f
	}
	return out
}

func (p polynomial) times(q polynomial) (polynomial, bool) {
	out := polynomial{}
	for k, f := range p {
		for l, g := range q {
			sum := power{k.x + l.x, k.t + l.t}
			if sum.x+sum.t > maxDegree {
				return nil, false
			}
			out[sum] += f * g
		}
	}
	return out, true
}

// constant returns the polynomial as a number, if it is constant.
func (p polynomial) constant() (float64, bool) {
	f, ok := p[power{}]
	return f, ok && len(p) == 1
}

// apart returns the largest relative difference between the factors of two polynomials. It is
// infinite if their powers differ.
func (p polynomial) apart(want polynomial) float64 {
	if len(p) != len(want) {
		return math.Inf(1)
	}
	worst := 0.0
	for k, w := range want {
		f, ok := p[k]
		d := math.Abs(f-w) / math.Abs(w)
		if !ok || math.IsNaN(d) {
			return math.Inf(1)
		}
		worst = max(worst, d)
	}
	return worst
}

// multiple returns the factor between a polynomial and another one, or 0 if there is none. Factors
// of terms may have relative differences up to within. It returns exactly 1 if the polynomials
// agree.
func (p polynomial) multiple(of polynomial, within float64) float64 {
	if p.apart(of) <= within {
		return 1
	}
	var first power // the highest order, so that the result does not depend on map order
	for k := range of {
		if k.x+k.t > first.x+first.t {
			first = k
		}
	}
	times := p[first] / of[first]
	scaled, _ := of.times(polynomial{{0, 0}: times})
	if times == 0 || p.apart(scaled) > within {
		return 0
	}
	return times
}

// precision returns the maximum relative error of a product of a few constants that are rounded
// to a type.
func precision(t tensor.DType) float64 {
	switch t {
	case tensor.F16:
		return 2e-3
	case tensor.BF16:
		return 1.6e-2
	default:
		return 2e-5 // 1.4142 for the square root of 2
	}
}

// almost is the relative difference of constants up to which a pattern that does not match is
// reported.
const almost = 0.05

// arguments returns the values that the arithmetic before a value may be a function of,
// including the value itself, nearest first.
func arguments(v *rewrite.Value) []*rewrite.Value {
	list := []*rewrite.Value{v}
	for i := 0; i < len(list) && len(list) < maxReading; i++ {
		n := made(list[i], "Add", "Sub", "Mul", "Div", "Pow", "Neg")
		if n == nil {
			continue
		}
		for _, in := range n.Inputs() {
			if in != nil && in.Constant() == nil {
				list = append(list, in)
			}
		}
	}
	return list
}
