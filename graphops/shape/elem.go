package shape

import (
	"math"

	"lathe/graphops/dim"
)

// MaxElements is the maximum number of elements of a tensor that are traced.
const MaxElements = 1024

// elem is a traced element of a tensor. It is num/den, where den is a power of two, and 1 for
// integers and booleans (0 and 1). If den is 0, it is the floating-point number f, which is not
// such a fraction.
type elem struct {
	num dim.Dim
	den int64
	f   float64
}

// maxDen limits the fractions, so that sizes times den do not overflow 64 bits.
const maxDen = 1 << 20

func intElem(d dim.Dim) elem {
	if d.Err() != nil {
		return unknownElem()
	}
	return elem{num: d, den: 1}
}

func numberElem(n int64) elem { return elem{num: dim.Number(n), den: 1} }

func boolElem(b bool) elem {
	if b {
		return numberElem(1)
	}
	return numberElem(0)
}

// unknownElem returns an unknown element, which may be negative.
func unknownElem() elem { return elem{num: dim.UnknownInteger(), den: 1} }

func floatElem(f float64) elem {
	for den := int64(1); den <= maxDen; den *= 2 {
		if n := f * float64(den); n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return fraction(dim.Number(int64(n)), den)
		}
	}
	return elem{f: f}
}

// fraction returns num/den, reduced by factors of two. It is unknown if den is too large.
func fraction(num dim.Dim, den int64) elem {
	for den > 1 && num.Mod(dim.Number(2)).Is(0) {
		num, den = num.FloorDiv(dim.Number(2)), den/2
	}
	if den > maxDen || num.Err() != nil {
		return unknownElem()
	}
	return elem{num: num, den: den}
}

func (e elem) equal(o elem) bool {
	if e.den == 0 || o.den == 0 {
		return e.den == o.den && e.f == o.f
	}
	return e.den == o.den && e.num.Equal(o.num)
}

// size returns the element as an integer, unknown if it is not one.
func (e elem) size() dim.Dim {
	if e.den != 1 {
		return dim.UnknownInteger()
	}
	return e.num
}

// number returns the element as a number.
func (e elem) number() (float64, bool) {
	if e.den == 0 {
		return e.f, true
	}
	n, ok := e.num.Number()
	return float64(n) / float64(e.den), ok
}

// int returns the element as a known integer.
func (e elem) int() (int64, bool) {
	n, ok := e.num.Number()
	return n, ok && e.den == 1
}

// truth returns the element as a known boolean.
func (e elem) truth() (value, ok bool) {
	if n, isNumber := e.number(); isNumber {
		return n != 0, true
	}
	if e.den == 0 {
		return false, false
	}
	lo, hi := e.num.Bounds()
	return true, lo > 0 || hi < 0
}
