package dim

import "math"

// Bounds returns numbers between which d is for all sizes of its symbols. An end that is not known
// is math.MinInt64 or math.MaxInt64. If d is an error, both are.
func (d Dim) Bounds() (lo, hi int64) {
	if d.p == nil {
		return d.n, d.n
	}
	if d.p.err != nil {
		return math.MinInt64, math.MaxInt64
	}
	for _, t := range d.p.terms {
		l, h := t.bounds()
		lo, hi = open(addBound(lo, l), addBound(hi, h))
	}
	return lo, hi
}

// Apart reports whether it is certain that two sizes are never equal.
func Apart(a, b Dim) bool {
	diff := a.Sub(b)
	lo, hi := diff.Bounds()
	return diff.Err() == nil && (lo > 0 || hi < 0)
}

// open makes sure that a calculated lower bound is not math.MaxInt64 and that an upper bound is not
// math.MinInt64, because the ends of int64 stand for infinities.
func open(lo, hi int64) (int64, int64) {
	return min(lo, math.MaxInt64-1), max(hi, math.MinInt64+1)
}

func (t term) bounds() (lo, hi int64) {
	lo, hi = 1, 1
	for _, a := range t.mono {
		l, h := open(a.bounds())
		lo, hi = mulBounds(lo, hi, l, h)
	}
	return mulBounds(lo, hi, t.coef, t.coef)
}

func (a *atom) bounds() (lo, hi int64) {
	switch a.kind {
	case symbol:
		return 1, math.MaxInt64
	case unknown:
		return 0, math.MaxInt64
	case integer:
		return math.MinInt64, math.MaxInt64
	case floorOf:
		return a.quotientBounds()
	}
	lo, hi = a.args[0].Bounds()
	for _, d := range a.args[1:] {
		l, h := d.Bounds()
		switch a.kind {
		case maxOf:
			lo, hi = max(lo, l), max(hi, h)
		case minOf:
			lo, hi = min(lo, l), min(hi, h)
		default: // one of the arguments, whichever it is
			lo, hi = min(lo, l), max(hi, h)
		}
	}
	return lo, hi
}

func (a *atom) quotientBounds() (lo, hi int64) {
	lo, hi = open(a.args[0].Bounds())
	by, _ := a.args[1].Bounds()
	switch n, ok := a.args[1].Number(); {
	case ok && n > 0:
		return divBound(lo, n), divBound(hi, n)
	case by > 0 && lo >= 0:
		return 0, divBound(hi, by)
	default:
		return math.MinInt64, math.MaxInt64
	}
}

func infinite(n int64) bool { return n == math.MinInt64 || n == math.MaxInt64 }

func addBound(a, b int64) int64 {
	switch n, ok := addInt(a, b); {
	case infinite(a):
		return a
	case infinite(b):
		return b
	case !ok && a > 0:
		return math.MaxInt64
	case !ok:
		return math.MinInt64
	default:
		return n
	}
}

func divBound(a, n int64) int64 {
	if infinite(a) {
		return a
	}
	return floorInt(a, n)
}

func mulBounds(alo, ahi, blo, bhi int64) (lo, hi int64) {
	lo, hi = math.MaxInt64, math.MinInt64
	for _, a := range [...]int64{alo, ahi} {
		for _, b := range [...]int64{blo, bhi} {
			n := mulBound(a, b)
			lo, hi = min(lo, n), max(hi, n)
		}
	}
	return open(lo, hi)
}

func mulBound(a, b int64) int64 {
	n, ok := mulInt(a, b)
	switch {
	case a == 0 || b == 0:
		return 0
	case ok && !infinite(a) && !infinite(b):
		return n
	case (a < 0) == (b < 0):
		return math.MaxInt64
	default:
		return math.MinInt64
	}
}
