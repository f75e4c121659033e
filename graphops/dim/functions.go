package dim

import (
	"errors"
	"fmt"
	"strings"
)

// spelling is a function whose name can occur in an expression.
type spelling struct {
	operands int // 0 means any number
	apply    func(operands []fraction) (fraction, error)
}

// spellings has the functions by name: those that String writes, and those of sympy, Python and
// PyTorch's symbolic sizes.
var spellings = map[string]spelling{
	"floor":        {1, down},
	"FloorToInt":   {1, down},
	"ceil":         {1, up},
	"ceiling":      {1, up},
	"CeilToInt":    {1, up},
	"trunc":        {1, truncated},
	"int":          {1, truncated},
	"TruncToInt":   {1, truncated},
	"round":        {1, rounded},
	"RoundToInt":   {1, rounded},
	"abs":          {1, absolute},
	"Abs":          {1, absolute},
	"sqrt":         {1, func(f []fraction) (fraction, error) { return f[0].root() }},
	"ToFloat":      {1, identity},
	"Identity":     {1, identity},
	"max":          {0, func(f []fraction) (fraction, error) { return chosen(maxOf, f) }},
	"Max":          {0, func(f []fraction) (fraction, error) { return chosen(maxOf, f) }},
	"min":          {0, func(f []fraction) (fraction, error) { return chosen(minOf, f) }},
	"Min":          {0, func(f []fraction) (fraction, error) { return chosen(minOf, f) }},
	"broadcast":    {0, func(f []fraction) (fraction, error) { return chosen(broadcastOf, f) }},
	"mod":          {2, remainder},
	"Mod":          {2, remainder},
	"PythonMod":    {2, remainder},
	"FloorDiv":     {2, func(f []fraction) (fraction, error) { return integral(f[0].over(f[1]).floor()), nil }},
	"CeilDiv":      {2, func(f []fraction) (fraction, error) { return integral(f[0].over(f[1]).ceil()), nil }},
	"CleanDiv":     {2, func(f []fraction) (fraction, error) { return f[0].over(f[1]), nil }},
	"IntTrueDiv":   {2, func(f []fraction) (fraction, error) { return f[0].over(f[1]), nil }},
	"FloatTrueDiv": {2, func(f []fraction) (fraction, error) { return f[0].over(f[1]), nil }},
	"PowByNatural": {2, func(f []fraction) (fraction, error) { return f[0].power(f[1]) }},
	"pow":          {2, func(f []fraction) (fraction, error) { return f[0].power(f[1]) }},
	"ModularIndexing": {3, func(f []fraction) (fraction, error) {
		return integral(f[0].over(f[1]).floor()).mod(f[2]), nil
	}},
}

// call reads the operands of a function and returns the result of the function.
func (p *parser) call(name string) (fraction, error) {
	s, ok := spellings[strings.TrimPrefix(name, "math.")]
	if !ok {
		return fraction{}, fmt.Errorf("%s is not a function of sizes, expected one such as floor, ceil, max, min, mod", name)
	}
	var operands []fraction
	for {
		f, err := p.sum()
		if err != nil {
			return f, err
		}
		if operands = append(operands, f); !p.take(",") {
			break
		}
	}
	if s.operands > 0 && len(operands) != s.operands {
		return fraction{}, fmt.Errorf("%s has %d operands, expected %d", name, len(operands), s.operands)
	}
	return s.apply(operands)
}

func down(f []fraction) (fraction, error) { return integral(f[0].floor()), nil }

func up(f []fraction) (fraction, error) { return integral(f[0].ceil()), nil }

func identity(f []fraction) (fraction, error) { return f[0], nil }

func remainder(f []fraction) (fraction, error) { return f[0].mod(f[1]), nil }

// truncated rounds towards zero. It returns an error if the operand can be positive or negative,
// depending on the sizes.
func truncated(f []fraction) (fraction, error) {
	low, high := f[0].dividend.Bounds()
	by, _ := f[0].divisor.Bounds()
	switch {
	case by > 0 && low >= 0:
		return down(f)
	case by > 0 && high <= 0:
		return up(f)
	default:
		return f[0], errors.New("an expression is truncated that may be negative or positive")
	}
}

// rounded returns the operand if it is a whole number. Otherwise it returns an error, because
// implementations round halves in different directions.
func rounded(f []fraction) (fraction, error) {
	d, err := f[0].whole()
	return integral(d), err
}

func absolute(f []fraction) (fraction, error) {
	return chosen(maxOf, []fraction{f[0], f[0].neg()})
}

// chosen returns the maximum, minimum or broadcast of fractions. Their divisors must be numbers.
func chosen(k kind, list []fraction) (fraction, error) {
	by := Number(1)
	for _, f := range list {
		n, ok := f.divisor.Number()
		if !ok || k == broadcastOf && n != 1 {
			_, err := f.whole()
			return f, err
		}
		m, _ := by.Number()
		if by = by.Mul(Number(n / gcd(m, n))); by.Err() != nil {
			return f, by.Err()
		}
	}
	args := make([]Dim, len(list))
	for i, f := range list {
		args[i] = f.dividend.Mul(by.FloorDiv(f.divisor))
	}
	return quotient(k.of(args), by), nil
}

// squareRoot returns the square root of d. The bool is false unless d is a product of squares.
func squareRoot(d Dim) (Dim, bool) {
	terms := d.asTerms()
	switch {
	case len(terms) == 0:
		return d, true
	case len(terms) > 1 || terms[0].coef < 0 || len(terms[0].mono)%2 != 0:
		return Dim{}, false
	}
	root := wholeRoot(terms[0].coef)
	half := term{coef: root}
	for i := 0; i < len(terms[0].mono); i += 2 {
		a, b := terms[0].mono[i], terms[0].mono[i+1]
		if low, _ := a.bounds(); a.key != b.key || low < 0 {
			return Dim{}, false
		}
		half.mono = append(half.mono, a)
	}
	return fromTerms([]term{half}), root*root == terms[0].coef
}

// wholeRoot returns the square root of n, rounded down.
func wholeRoot(n int64) int64 {
	low, high := int64(0), int64(3_037_000_499) // the root of the largest int64
	for low < high {
		if mid := low + (high-low+1)/2; mid*mid <= n {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}
