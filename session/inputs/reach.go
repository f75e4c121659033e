package inputs

import (
	"fmt"
	"math"
	"slices"

	"lathe/graphops/tensor"
	"lathe/session/inputs/bounds"
)

// reach says which values of the allowed range a case should have.
type reach uint8

const (
	usual   reach = iota
	zero          // 0 if it is allowed
	large         // floating-point numbers of large magnitude
	least         // the smallest integers
	most          // the largest integers
	padded        // masks that end in padding
	leading       // masks that begin with padding
	hidden        // masks that mask the whole first row
)

// largeDeviation is the standard deviation of numbers of large magnitude. Types with a smaller
// range get a smaller one. The squares of such numbers exceed the range of float16, and their
// exponentials exceed that of every type.
const largeDeviation = 1000

// reached adapts a choice to c.reach. It returns pick unchanged if the reach does not apply to the
// input: for example, padding applies only to masks.
func (c chooser) reached(pick choice) choice {
	kind, as := c.dtype.Kind(), c.meaning()
	isInt := kind == tensor.KindSigned || kind == tensor.KindUnsigned
	switch {
	case as == asMask || as == asPaddingMask:
		switch c.reach {
		case padded, leading:
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

// meaning returns what the input's name says about it. It returns asAny if the nodes that read the
// input decide its values alone.
func (c chooser) meaning() meaning {
	if _, decided := c.byReader(); decided && !c.allowed.Suggested {
		return asAny
	}
	pick, _ := c.byName()
	return pick.meaning
}

// mayBe reports whether every element may have the value v.
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

// large chooses floating-point numbers of large magnitude. Their standard deviation is at most an
// eighth of the largest number of the type.
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

// end fills the tensor with the smallest or the largest number that is allowed, as c.reach says.
// The limits are those of the nodes that read the input, of the meaning of its name, or of the
// type.
func (c chooser) end(pick choice, as meaning) choice {
	lo, hi := c.ends()
	why := "the limits of the type"
	switch a := c.allowed; a.Kind {
	case bounds.Between:
		lo, hi, why = max(lo, float64(a.Lo)), min(hi, float64(a.Hi)), "the limits of what is allowed"
	case bounds.OneOf:
		lo, hi, why = float64(slices.Min(a.Values)), float64(slices.Max(a.Values)), "the limits of what is allowed"
	case bounds.Exactly, bounds.Within, bounds.InDomain:
		return pick
	default:
		if as == asParts {
			lo, hi, why = 0, 1, "the limits that the name suggests"
		} else if d := a.Domain; d != nil {
			from, _ := inside(d)
			lo, hi, why = max(lo, math.Ceil(from)), max(min(hi, math.Floor(d.Hi)), math.Ceil(from)), "the limits of what is "+d.Why
		}
	}
	if c.reach == least {
		return c.all(lo, pick, why)
	}
	return c.all(hi, pick, why)
}

// ends returns the smallest and largest number of an integer type. If float64 cannot represent the
// largest number of a wide type, it returns the next smaller float64.
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

// padding chooses a mask in which each row ends in padding, or begins with it. The rows have padding of different
// lengths. At least about a third of each row counts.
func (c chooser) padding(pick choice, as meaning) choice {
	n := lastAxis(c.shape)
	if n < 2 {
		return pick
	}
	kept, ignored := marks(as)
	at, where := int64(-1), "end"
	if c.reach == leading {
		where = "beginning"
	}
	return choice{
		what: fmt.Sprintf("%g, and %g at the %s of each row", kept, ignored, where), why: pick.why + ", with padding", meaning: as,
		numbers: func() float64 {
			at++
			keep, column := max(1, n-max(1, n/3)-at/n%max(1, n/3)), at%n
			if c.reach == leading {
				column = n - 1 - column
			}
			if column < keep {
				return kept
			}
			return ignored
		},
	}
}

// hiding chooses a mask that masks the first row completely. If there is only one row, that is the
// whole mask.
func (c chooser) hiding(pick choice, as meaning) choice {
	n := lastAxis(c.shape)
	kept, ignored := marks(as)
	at := int64(-1)
	return choice{
		what: fmt.Sprintf("%g, and %g in the first row", kept, ignored), why: pick.why + ", with a row that is masked completely", meaning: as,
		numbers: func() float64 {
			if at++; at < n {
				return ignored
			}
			return kept
		},
	}
}

// marks returns the numbers in a mask: the one for elements that count, and the one for elements to
// ignore.
func marks(as meaning) (kept, ignored float64) {
	if as == asPaddingMask {
		return 0, 1
	}
	return 1, 0
}
