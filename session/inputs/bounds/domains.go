package bounds

import "math"

// Domain is an interval of real numbers. An open end does not belong to it.
type Domain struct {
	Lo, Hi         float64
	OpenLo, OpenHi bool
	// Why names the node whose function has a finite result in the domain.
	Why string
}

// Has reports whether a number is in the domain.
func (d *Domain) Has(x float64) bool {
	return d == nil || (x > d.Lo || x == d.Lo && !d.OpenLo) && (x < d.Hi || x == d.Hi && !d.OpenHi)
}

// and returns the intersection of two domains. If the intersection is empty, it returns d. A domain
// that is nil has no limit.
func (d *Domain) and(e *Domain) *Domain {
	switch {
	case d == nil:
		return e
	case e == nil:
		return d
	}
	out := *d
	if e.Lo > d.Lo || e.Lo == d.Lo && e.OpenLo {
		out.Lo, out.OpenLo, out.Why = e.Lo, e.OpenLo, e.Why
	}
	if e.Hi < d.Hi || e.Hi == d.Hi && e.OpenHi {
		out.Hi, out.OpenHi, out.Why = e.Hi, e.OpenHi, e.Why
	}
	if out.Lo >= out.Hi {
		return d
	}
	return &out
}

// function returns the domain in which the function of a node has a finite result.
type function func(u use) (Domain, bool)

// functions are the operators whose result is not finite for every argument. The number is the
// position of the input. Division is not among them, because it is finite for almost every divisor.
var functions = map[string]map[int]function{
	"Log":                {0: finite(Domain{Lo: 0, OpenLo: true, Hi: math.Inf(1)})},
	"ReduceLogSum":       {0: finite(Domain{Lo: 0, OpenLo: true, Hi: math.Inf(1)})},
	"Sqrt":               {0: finite(Domain{Lo: 0, Hi: math.Inf(1)})},
	"Pow":                {0: base},
	"Acos":               {0: finite(Domain{Lo: -1, Hi: 1})},
	"Asin":               {0: finite(Domain{Lo: -1, Hi: 1})},
	"Acosh":              {0: finite(Domain{Lo: 1, Hi: math.Inf(1)})},
	"Atanh":              {0: finite(Domain{Lo: -1, OpenLo: true, Hi: 1, OpenHi: true})},
	"BatchNormalization": {4: finite(Domain{Lo: 0, Hi: math.Inf(1)})},
}

func finite(d Domain) function { return func(use) (Domain, bool) { return d, true } }

// base returns the domain for the base of a Pow. Negative numbers are excluded unless every
// exponent is an integer. 0 is excluded if an exponent may be negative.
func base(u use) (Domain, bool) {
	d := Domain{Lo: 0, Hi: math.Inf(1)}
	exponents, known := u.frame().reals(u.input(1), 0)
	if !known {
		d.OpenLo = true // the exponent may be negative
		return d, true
	}
	broken := false
	for _, x := range exponents {
		broken = broken || x != math.Trunc(x)
		d.OpenLo = d.OpenLo || x < 0
	}
	return d, broken
}

// domain returns for which values of the model's input the function f of the node has a finite
// result. It accounts for what earlier nodes did to the input. It returns nil if that is not known.
func (u use) domain(f function) *Domain {
	d, ok := f(u)
	p := u.point
	if !ok || p.scale == 0 {
		return nil
	}
	d.Lo, d.Hi = (d.Lo-p.offset)/p.scale, (d.Hi-p.offset)/p.scale
	if p.scale < 0 {
		d.Lo, d.Hi, d.OpenLo, d.OpenHi = d.Hi, d.Lo, d.OpenHi, d.OpenLo
	}
	if p.summed {
		if !math.IsInf(d.Hi, 1) {
			return nil
		}
		if d.Lo < 0 {
			d.Lo, d.OpenLo = 0, false
		}
	}
	d.Why = u.because("finite")
	return &d
}
