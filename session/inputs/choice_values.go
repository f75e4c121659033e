package inputs

import (
	"fmt"
	"math"

	"lathe/graphops/tensor"
	"lathe/session/inputs/bounds"
)

const (
	lastTimestep = 999 // the last timestep of a diffusion model
	few          = 4   // an input with at most this many elements may be a setting, such as a factor
)

// byDomain returns a choice if a node applies a function such as a logarithm to the input. The
// numbers then stay where that function has a finite result.
func (c chooser) byDomain() (choice, bool) {
	d := c.allowed.Domain
	kind := c.dtype.Kind()
	if d == nil || !c.isFree() || kind == tensor.KindBool || kind == tensor.KindComplex {
		return choice{}, false
	}
	lo, hi := inside(d)
	if kind != tensor.KindFloat {
		from := int64(math.Ceil(lo))
		to := int64(math.Floor(min(hi, float64(from)+9)))
		if math.IsInf(d.Hi, 1) {
			to = from + 9
		}
		if from > to {
			return choice{}, false
		}
		return c.between(from, to, d.Why), true
	}
	f := Fill{fillUniform, lo, hi}
	return choice{what: f.String(), why: d.Why, numbers: f.source(c.shape, c.rng)}, true
}

// inside returns an interval within a domain, from which to draw usual numbers. It is at most 1
// long. If the domain reaches from below 0 to at least 1, it begins at 0. It keeps a distance from
// open ends: there the function may be infinite or very large.
func inside(d *bounds.Domain) (lo, hi float64) {
	const away = 1.0 / 64
	lo, hi = d.Lo, d.Hi
	switch {
	case lo < 0 && hi > 0 && !(hi < 1):
		lo = 0
	case math.IsInf(lo, -1):
		lo = hi - 1
	}
	hi = min(hi, lo+1)
	gap := away * (hi - lo)
	if lo == d.Lo && d.OpenLo {
		lo += gap
	}
	if hi == d.Hi && d.OpenHi {
		hi -= gap
	}
	return lo, hi
}

// inDomain returns a function that draws numbers evenly from a domain.
func (c chooser) inDomain(d bounds.Domain) func() float64 {
	isFloat := c.dtype.Kind() == tensor.KindFloat
	return func() float64 {
		x := d.Lo + (d.Hi-d.Lo)*c.rng.Float64()
		if !isFloat {
			return math.Floor(x)
		}
		return x
	}
}

// boxes generates boxes, each as two corners with the lower one first. Integers are in the range
// from lo to hi, floating-point numbers between 0 and 1.
func (c chooser) boxes(lo, hi int64, isInt bool) choice {
	from, to := 0.0, 1.0
	if isInt {
		from, to = float64(max(lo, 0)), float64(min(hi, 1000))
	}
	low := bounds.Domain{Lo: from, Hi: from + 0.4*(to-from)}
	high := bounds.Domain{Lo: to - 0.4*(to-from), Hi: to}
	lower, upper := c.inDomain(low), c.inDomain(high)
	return choice{what: "boxes", why: c.named("boxes"), numbers: inTurn([]func() float64{lower, lower, upper, upper})}
}

// positions generates position ids that count up. They begin after the positions that are in the
// cache. If that would exceed hi, they begin at 0.
func (c chooser) positions(hi int64) choice {
	from, n := c.around.past, lastAxis(c.shape)
	if from > hi-(n-1) {
		from = 0
	}
	n = min(n, hi+1)
	next := count(n)
	return choice{
		what: fmt.Sprintf("counting from %d to %d", from, from+n-1), why: c.because("positions"), meaning: asPositions,
		numbers: func() float64 { return float64(from) + next() },
	}
}

// maxRedraws is how often a number is drawn again if it is the one that only the end of a row may
// have.
const maxRedraws = 16

// ended changes a choice of integers for an input in which a node looks for a certain number in
// each row, such as the token that ends a text. Each row then has this number at its end and
// nowhere else.
func (c chooser) ended(pick choice) choice {
	end := c.allowed.End
	kind := c.dtype.Kind()
	lo, hi := c.limits()
	if end == nil || kind != tensor.KindSigned && kind != tensor.KindUnsigned || end.Value < max(lo, 0) || end.Value > hi {
		return pick
	}
	n, at, draw := lastAxis(c.shape), int64(-1), pick.numbers
	pick.what = fmt.Sprintf("%s, and %d at the end of each row", pick.what, end.Value)
	if pick.why = end.Why; c.allowed.Why != "" {
		pick.why = c.allowed.Why + "; " + end.Why
	}
	pick.numbers = func() float64 {
		at++
		x := draw()
		if at%n == n-1 {
			return float64(end.Value)
		}
		for i := 0; x == float64(end.Value) && i < maxRedraws; i++ {
			x = draw()
		}
		return x
	}
	return pick
}
