package inputs

import (
	"fmt"
	"math"
	"slices"

	"lathe/graphops/tensor"
	"lathe/session/inputs/bounds"
)

// reach says which part of the allowed range the elements come from.
type reach uint8

const (
	usual  reach = iota
	zero         // 0 if it is allowed
	large        // floating-point numbers of large magnitude
	least        // the smallest integers
	most         // the largest integers
	padded       // masks that end in padding
	hidden       // masks that mask the whole first row
)

// largeDeviation is the standard deviation of large numbers, if the type has them. Their squares
// exceed the range of float16, and their exponentials that of every type.
const largeDeviation = 1000

// reached replaces the usual choice by one for the reach. The usual choice stays if the reach does
// not concern the input.
func (c chooser) reached(pick choice) choice {
	kind, as := c.dtype.Kind(), c.meaning()
	isInt := kind == tensor.KindSigned || kind == tensor.KindUnsigned
	switch {
	case as == asMask || as == asPaddingMask:
		switch c.reach {
		case padded:
			return c.padding(pick, as)
		case hidden:
			return c.hiding(pick, as)
		}
	case c.reach == zero && kind != tensor.KindString && c.dtype != tensor.F8E8M0 && as != asLength && c.mayBe(0):
		return c.all(0, pick, "zero wherever it is allowed")
	case c.reach == large && (kind == tensor.KindFloat || kind == tensor.KindComplex) && c.isFree():
		return c.large(pick)
	case (c.reach == least || c.reach == most) && isInt && as != asPositions && as != asLength:
		return c.end(pick, as)
	}
	return pick
}

// meaning returns what the input's name means, unless its reader decides alone.
func (c chooser) meaning() meaning {
	if _, decided := c.byReader(); decided && !c.allowed.Suggested {
		return asAny
	}
	pick, _ := c.byName()
	return pick.meaning
}

// mayBe reports whether all elements may have a value.
func (c chooser) mayBe(v int64) bool {
	switch a := c.allowed; a.Kind {
	case bounds.Anything:
		return a.Domain.Has(float64(v))
	case bounds.Within, bounds.Between:
		return a.Lo <= v && v <= a.Hi
	case bounds.OneOf:
		return slices.Contains(a.Values, v)
	}
	return false
}

func (c chooser) all(v float64, pick choice, why string) choice {
	if pick.why != "" && pick.why != noReader {
		why += "; " + pick.why
	}
	return choice{what: fmt.Sprintf("all %.6g", v), why: why, numbers: func() float64 { return v }}
}

// large draws numbers of large magnitude. The deviation is at most an eighth of the type's largest
// number.
func (c chooser) large(pick choice) choice {
	deviation := float64(largeDeviation)
	top, err := tensor.FromFloat64s(c.dtype, make([]float64, c.dtype.Components()))
	if err == nil && tensor.EncodeFloat64(top.Data, c.dtype, slices.Repeat([]float64{8 * deviation}, c.dtype.Components())) == nil {
		if saturated, err := top.Float64s(); err == nil {
			deviation = min(deviation, saturated[0]/8)
		}
	}
	f := Fill{fillNormal, 0, deviation}
	next := f.source(c.shape, c.rng)
	switch d := c.allowed.Domain; {
	case d == nil:
		return choice{what: f.String(), why: "large magnitudes", numbers: next}
	case !math.IsInf(d.Hi, 1):
		return pick
	default:
		lo, _ := inside(d)
		return choice{what: f.String() + " without sign", why: "large magnitudes; " + d.Why, numbers: func() float64 { return lo + math.Abs(next()) }}
	}
}

// end fills the tensor with the smallest or largest number that the reader or the type allows.
func (c chooser) end(pick choice, as meaning) choice {
	lo, hi := c.ends()
	why := "the ends of the type"
	switch a := c.allowed; a.Kind {
	case bounds.Between:
		lo, hi, why = max(lo, float64(a.Lo)), min(hi, float64(a.Hi)), "the ends of what is allowed"
	case bounds.OneOf:
		lo, hi, why = float64(slices.Min(a.Values)), float64(slices.Max(a.Values)), "the ends of what is allowed"
	case bounds.Exactly, bounds.Within, bounds.InDomain:
		return pick
	default:
		if as == asParts {
			lo, hi, why = 0, 1, "the limits that the name suggests"
		} else if d := a.Domain; d != nil {
			from, _ := inside(d)
			lo, hi, why = max(lo, math.Ceil(from)), max(min(hi, math.Floor(d.Hi)), math.Ceil(from)), "the ends of what is "+d.Why
		}
	}
	if c.reach == least {
		return c.all(lo, pick, why)
	}
	return c.all(hi, pick, why)
}

// ends returns the ends of an integer type as float64 values within its range.
func (c chooser) ends() (lo, hi float64) {
	bits := c.dtype.Bits()
	if c.dtype.Kind() == tensor.KindSigned {
		lo, bits = -math.Ldexp(1, bits-1), bits-1
	}
	hi = math.Ldexp(1, bits)
	if bits > 53 {
		return lo, math.Nextafter(hi, 0)
	}
	return lo, hi - 1
}

// padding generates masks with padding at the end of each row, of different lengths. At least about
// a third of each row is kept.
func (c chooser) padding(pick choice, as meaning) choice {
	n := lastAxis(c.shape)
	if n < 2 {
		return pick
	}
	kept, ignored := marks(as)
	at := int64(-1)
	return choice{
		what: fmt.Sprintf("%g, and %g at the end of each row", kept, ignored), why: pick.why + ", with padding", meaning: as,
		numbers: func() float64 {
			at++
			keep := max(1, n-max(1, n/3)-at/n%max(1, n/3))
			if at%n < keep {
				return kept
			}
			return ignored
		},
	}
}

// hiding masks the whole first row. If the mask has only one row, it masks everything.
func (c chooser) hiding(pick choice, as meaning) choice {
	n := lastAxis(c.shape)
	kept, ignored := marks(as)
	at := int64(-1)
	return choice{
		what: fmt.Sprintf("%g, and %g in the first row", kept, ignored), why: pick.why + ", with a row that is masked whole", meaning: as,
		numbers: func() float64 {
			if at++; at < n {
				return ignored
			}
			return kept
		},
	}
}

// marks returns the values in a mask for elements that count and for others.
func marks(as meaning) (kept, ignored float64) {
	if as == asPaddingMask {
		return 0, 1
	}
	return 1, 0
}
