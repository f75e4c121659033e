package dim

import (
	"cmp"
	"math"
	"slices"
)

// Max is the larger one.
func (d Dim) Max(e Dim) Dim { return choose(maxOf, d, e) }

// Min is the smaller one.
func (d Dim) Min(e Dim) Dim { return choose(minOf, d, e) }

// choose keeps, of the arguments of a maximum or minimum, those that no other
// one always stands above or below.
func choose(k kind, d, e Dim) Dim {
	if f, ok := faulty(d, e); ok {
		return f
	}
	args := arguments(k, d, e)
	for i := 0; i < len(args); i++ {
		loses := func(by Dim) bool {
			if k == maxOf {
				return by.AtLeast(args[i])
			}
			return args[i].AtLeast(by)
		}
		for j := range args {
			if j != i && loses(args[j]) {
				args = slices.Delete(args, i, i+1)
				i--
				break
			}
		}
	}
	if len(args) == 1 {
		return args[0]
	}
	return call(k, args...)
}

// arguments are those of two Dims under a function of any number: what either
// is already such a function of, each once, in the order of their text.
func arguments(k kind, dims ...Dim) []Dim {
	var out []Dim
	for _, d := range dims {
		if a := d.atom(); a != nil && a.kind == k {
			out = append(out, a.args...)
		} else {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b Dim) int { return cmp.Compare(keyOf(a), keyOf(b)) })
	return slices.CompactFunc(out, Dim.Equal)
}

// Broadcast is the size of an axis that two operands share; ok is false where no
// sizes that the symbols can stand for go together.
func (d Dim) Broadcast(e Dim) (out Dim, ok bool) {
	if f, bad := faulty(d, e); bad {
		return f, true
	}
	switch {
	case d.Equal(e) || e.Is(1):
		return d, true
	case d.Is(1):
		return e, true
	case d.p == nil && e.p == nil:
		return Dim{}, false
	}
	dlo, dhi := d.Bounds()
	elo, ehi := e.Bounds()
	switch {
	case dlo > 1 && elo > 1 && (dlo > ehi || elo > dhi):
		return Dim{}, false
	case d.p == nil || dlo > 1 && e.p != nil:
		return d, true
	case e.p == nil || elo > 1:
		return e, true
	}
	args := arguments(broadcastOf, d, e)
	if len(args) == 1 {
		return args[0], true
	}
	return call(broadcastOf, args...), true
}

// AtLeast reports whether the Dim is never below e.
func (d Dim) AtLeast(e Dim) bool {
	lo, _ := d.Sub(e).Bounds()
	return lo >= 0
}

// Bounds are numbers that the Dim never lies below or above: math.MinInt64 and
// math.MaxInt64 where there are none. A fault has no bounds.
func (d Dim) Bounds() (lo, hi int64) {
	if d.p == nil {
		return d.n, d.n
	}
	if d.p.err != nil {
		return math.MinInt64, math.MaxInt64
	}
	for _, t := range d.p.terms {
		l, h := t.bounds()
		lo, hi = addBound(lo, l), addBound(hi, h)
	}
	return lo, hi
}

func (t term) bounds() (lo, hi int64) {
	lo, hi = 1, 1
	for _, a := range t.mono {
		l, h := a.bounds()
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
		default: // one of them, whichever it is
			lo, hi = min(lo, l), max(hi, h)
		}
	}
	return lo, hi
}

func (a *atom) quotientBounds() (lo, hi int64) {
	lo, hi = a.args[0].Bounds()
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

// Bounds count as infinite at the ends of int64.

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
	return lo, hi
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
