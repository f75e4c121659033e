package dim

import (
	"cmp"
	"math"
	"slices"
)

// FloorDiv returns d/e, rounded down.
func (d Dim) FloorDiv(e Dim) Dim {
	if f, ok := faulty(d, e); ok {
		return f
	}
	n, number := e.Number()
	switch {
	case number && n == 0:
		return fault(ErrDivision)
	case number && n == math.MinInt64:
		return fault(ErrOverflow)
	case number && n < 0:
		return d.Neg().FloorDiv(Number(-n))
	case number && n == 1:
		return d
	case number && d.p == nil:
		return Number(floorInt(d.n, n))
	case number:
		return d.floorByNumber(n)
	}
	if q, ok := d.Quotient(e); ok {
		return q
	}
	return reduced(d, e)
}

// CeilDiv returns d/e, rounded up. e must be positive.
func (d Dim) CeilDiv(e Dim) Dim { return d.Add(e).Sub(Number(1)).FloorDiv(e) }

// Mod returns d-e*floor(d/e), as the operator % of Python does.
func (d Dim) Mod(e Dim) Dim { return d.Sub(d.FloorDiv(e).Mul(e)) }

func floorInt(a, n int64) int64 {
	q := a / n
	if a%n != 0 && (a < 0) != (n < 0) {
		q--
	}
	return q
}

// floorByNumber returns floor(d/n) for n > 1. It moves multiples of n out of the floor:
// floor((n*q+r)/n) is q+floor(r/n).
func (d Dim) floorByNumber(n int64) Dim {
	var whole, rest []term
	for _, t := range d.p.terms {
		q := floorInt(t.coef, n)
		whole = append(whole, term{q, t.mono})
		rest = append(rest, term{t.coef - q*n, t.mono})
	}
	q, r := fromTerms(whole), fromTerms(rest)
	if m, ok := r.Number(); ok {
		return q.Add(Number(floorInt(m, n)))
	}
	return q.Add(floorOfRest(r, n))
}

// floorOfRest returns floor(r/n), where the coefficients of r are from 0 to n-1. It cancels a
// common divisor g: floor((g*x+c)/(g*m)) is floor((x+floor(c/g))/m). If the sum r contains one
// floor, it merges the two: floor((floor(x/a)+k)/n) is floor((x+a*k)/(a*n)).
func floorOfRest(r Dim, n int64) Dim {
	g := n
	for _, t := range r.p.terms {
		if len(t.mono) > 0 {
			g = gcd(g, t.coef)
		}
	}
	if g > 1 {
		terms := slices.Clone(r.p.terms)
		for i := range terms {
			terms[i].coef = floorInt(terms[i].coef, g)
		}
		return fromTerms(terms).FloorDiv(Number(n / g))
	}
	if inner, k, ok := loneFloor(r.p.terms); ok {
		a := inner.args[1]
		x, by := inner.args[0].Add(a.Mul(k)), a.Mul(Number(n))
		if _, bad := faulty(x, by); !bad {
			return x.FloorDiv(by)
		}
	}
	return call(floorOf, r, Number(n))
}

// loneFloor splits a sum into floor(x/a) and the rest k, where a is a number. ok is false unless
// the sum has exactly one such floor.
func loneFloor(terms []term) (inner *atom, k Dim, ok bool) {
	at := -1
	for i, t := range terms {
		if t.coef == 1 && len(t.mono) == 1 && t.mono[0].kind == floorOf && t.mono[0].args[1].p == nil {
			if at >= 0 {
				return nil, Dim{}, false
			}
			at = i
		}
	}
	if at < 0 {
		return nil, Dim{}, false
	}
	return terms[at].mono[0], fromTerms(slices.Delete(slices.Clone(terms), at, at+1)), true
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// Factor returns the largest number that divides n, and divides d for all sizes of its symbols.
func (d Dim) Factor(n int64) int64 {
	for _, t := range d.asTerms() {
		n = gcd(n, t.coef)
	}
	return n
}

// Quotient returns the expression q with q*e = d. The bool is false if there is none or if e is 0.
func (d Dim) Quotient(e Dim) (Dim, bool) {
	if _, bad := faulty(d, e); bad || e.Is(0) {
		return Dim{}, false
	}
	by := e.asTerms()
	var q []term
	for rest := d; !rest.Is(0); {
		if len(q) > MaxTerms {
			return Dim{}, false
		}
		t, ok := divTerm(rest.asTerms()[0], by[0])
		if !ok {
			return Dim{}, false
		}
		q = append(q, t)
		rest = rest.Sub(fromTerms([]term{t}).Mul(e))
		if rest.Err() != nil || rest.outgrew(d) {
			return Dim{}, false
		}
	}
	out := collect(q)
	return out, !out.outgrew(d)
}

// outgrew reports whether d is a new unknown that a calculation with from created because the
// result exceeded the limits.
func (d Dim) outgrew(from Dim) bool {
	if !d.IsUnknown() {
		return false
	}
	id, old := d.atom().key, false
	from.eachAtom(func(a *atom) { old = old || a.key == id })
	return !old
}

// divTerm returns a/b. The bool is false if a is not a multiple of b.
func divTerm(a, b term) (term, bool) {
	if a.coef%b.coef != 0 || a.coef == math.MinInt64 && b.coef == -1 {
		return term{}, false
	}
	rest := a.mono
	for _, x := range b.mono {
		i := slices.IndexFunc(rest, func(y *atom) bool { return y.key == x.key })
		if i < 0 {
			return term{}, false
		}
		rest = slices.Delete(slices.Clone(rest), i, i+1)
	}
	return term{a.coef / b.coef, rest}, true
}

// reduced returns floor(d/e), after cancelling the factors that are in all terms of d and e.
func reduced(d, e Dim) Dim {
	all := slices.Concat(d.asTerms(), e.asTerms())
	if len(d.asTerms()) == 0 {
		return d
	}
	common := term{all[0].coef, all[0].mono}
	for _, t := range all[1:] {
		common.coef = gcd(common.coef, t.coef)
		common.mono = shared(common.mono, t.mono)
	}
	if common.coef > 1 || len(common.mono) > 0 {
		by := fromTerms([]term{{max(common.coef, 1), common.mono}})
		x, okX := d.Quotient(by)
		y, okY := e.Quotient(by)
		if _, number := y.Number(); okX && okY && number {
			return x.FloorDiv(y)
		} else if okX && okY {
			d, e = x, y
		}
	}
	return call(floorOf, d, e)
}

// shared returns the atoms that are in both products. Both are sorted.
func shared(a, b []*atom) (out []*atom) {
	for len(a) > 0 && len(b) > 0 {
		switch c := cmp.Compare(a[0].key, b[0].key); {
		case c < 0:
			a = a[1:]
		case c > 0:
			b = b[1:]
		default:
			out = append(out, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return out
}
