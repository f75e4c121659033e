package dim

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// fraction is a quotient that occurs while an expression is read. It need not be a whole number
// yet, because a floor around it may follow. If the divisor is a number, it is positive.
type fraction struct{ dividend, divisor Dim }

const (
	maxScale = 1 << 16 // the largest divisor of a decimal
	maxPower = 8       // the largest exponent that is expanded
)

func integral(d Dim) fraction { return fraction{d, Number(1)} }

// decimal reads a number with a decimal point. It returns an error unless the number is exactly a
// whole number divided by a power of two, because any other decimal was rounded when it was
// written.
func decimal(sign, before, after string) (fraction, error) {
	after = strings.TrimRight(after, "0")
	n, err := strconv.ParseInt(sign+before+after, 10, 64)
	if err != nil {
		return fraction{}, ErrOverflow
	}
	by := int64(1)
	if len(after) > 18 {
		return fraction{}, ErrOverflow
	}
	for range after {
		by *= 10
	}
	f := integral(Number(n)).over(integral(Number(by)))
	if scale, _ := f.divisor.Number(); scale > maxScale || scale&(scale-1) != 0 {
		return fraction{}, fmt.Errorf("%s%s.%s is not exact: expected a whole number divided by a power of two", sign, before, after)
	}
	return f, nil
}

// quotient returns a/b, in which common factors are cancelled.
func quotient(a, b Dim) fraction {
	if f, bad := faulty(a, b); bad {
		return integral(f)
	}
	n, number := b.Number()
	switch {
	case b.Is(0):
		return integral(fault(ErrDivision))
	case number && n < 0:
		return quotient(a.Neg(), b.Neg())
	}
	if q, ok := a.Quotient(b); ok {
		return integral(q)
	}
	if !number {
		return fraction{a, b}
	}
	g := n
	for _, t := range a.asTerms() {
		g = gcd(g, t.coef)
	}
	return fraction{a.FloorDiv(Number(g)), Number(n / g)}
}

func (f fraction) add(g fraction) fraction {
	m, okF := f.divisor.Number()
	n, okG := g.divisor.Number()
	if okF && okG {
		by := gcd(m, n)
		scaled := f.dividend.Mul(Number(n / by)).Add(g.dividend.Mul(Number(m / by)))
		return quotient(scaled, Number(m).Mul(Number(n/by)))
	}
	if f.divisor.Equal(g.divisor) {
		return quotient(f.dividend.Add(g.dividend), f.divisor)
	}
	return quotient(f.dividend.Mul(g.divisor).Add(g.dividend.Mul(f.divisor)), f.divisor.Mul(g.divisor))
}

func (f fraction) neg() fraction { return fraction{f.dividend.Neg(), f.divisor} }

func (f fraction) mul(g fraction) fraction {
	return quotient(f.dividend.Mul(g.dividend), f.divisor.Mul(g.divisor))
}

func (f fraction) over(g fraction) fraction {
	return quotient(f.dividend.Mul(g.divisor), f.divisor.Mul(g.dividend))
}

func (f fraction) floor() Dim { return f.dividend.FloorDiv(f.divisor) }

func (f fraction) ceil() Dim {
	if low, _ := f.divisor.Bounds(); low > 0 {
		return f.dividend.CeilDiv(f.divisor)
	}
	return f.neg().floor().Neg()
}

// mod returns the remainder that the operator % of Python returns.
func (f fraction) mod(by fraction) fraction {
	return f.add(by.mul(integral(f.over(by).floor())).neg())
}

// power returns f to the power of a small whole number or of 1/2.
func (f fraction) power(exponent fraction) (fraction, error) {
	n, whole := exponent.dividend.Number()
	switch by := exponent.divisor; {
	case whole && n == 1 && by.Is(2):
		return f.root()
	case !whole || !by.Is(1) || n < -maxPower || n > maxPower:
		return f, fmt.Errorf("a power is not a whole number up to %d", maxPower)
	case n < 0:
		inverse := integral(Number(1)).over(f)
		return inverse.power(integral(Number(-n)))
	}
	out := integral(Number(1))
	for range n {
		out = out.mul(f)
	}
	return out, nil
}

// root returns the square root of f. It returns an error unless f is a square.
func (f fraction) root() (fraction, error) {
	a, okA := squareRoot(f.dividend)
	b, okB := squareRoot(f.divisor)
	if !okA || !okB {
		return f, errors.New("a square root is taken of an expression that is not a square")
	}
	return quotient(a, b), nil
}

// whole returns the fraction as a Dim. It returns an error if it is not a whole number.
func (f fraction) whole() (Dim, error) {
	if err := f.dividend.Err(); err != nil {
		return Dim{}, err
	}
	if !f.divisor.Is(1) {
		return Dim{}, fmt.Errorf("%s/%s is not a whole number; put it into floor or ceil", bracketed(f.dividend, f.dividend.String()), bracketed(f.divisor, f.divisor.String()))
	}
	return f.dividend, nil
}
