package dim

import "errors"

// piece is one case of sympy's Piecewise: a value and its condition.
type piece struct {
	value       Dim
	comparison  string // "" if the case always applies
	left, right Dim
}

// pieces reads the cases of a Piecewise. It returns an error unless the conditions are true or
// false for all sizes, or make the result a maximum or minimum.
func (p *parser) pieces() (fraction, error) {
	var list []piece
	for {
		if !p.take("(") {
			return fraction{}, p.unexpected()
		}
		c, err := p.piece()
		if err == nil && !p.take(")") {
			err = p.unexpected()
		}
		if err != nil {
			return fraction{}, err
		}
		if list = append(list, c); !p.take(",") {
			break
		}
	}
	if list[len(list)-1].comparison != "" {
		return fraction{}, errors.New("the last case of Piecewise has a condition, expected True")
	}
	out, ok := taken(list)
	if !ok {
		return fraction{}, errors.New("which case of Piecewise is taken depends on the sizes")
	}
	return integral(out), nil
}

// taken returns the value of a Piecewise with the given cases. The bool is false if it depends on
// the sizes which case applies.
func taken(list []piece) (Dim, bool) {
	c := list[0]
	if holds, decided := c.decided(); decided && holds {
		return c.value, true
	} else if decided {
		return taken(list[1:])
	}
	other, ok := taken(list[1:])
	if !ok {
		return Dim{}, false
	}
	return c.orElse(other)
}

func (p *parser) piece() (piece, error) {
	value, err := p.size()
	if err != nil {
		return piece{}, err
	}
	if !p.take(",") {
		return piece{}, p.unexpected()
	}
	if p.take("True") {
		return piece{value: value}, nil
	}
	c, err := p.condition()
	c.value = value
	return c, err
}

// comparisons has the comparison operators. Those that begin with another one come first.
var comparisons = []string{"<=", ">=", "<", ">"}

// condition reads a comparison of two sizes, such as a < b or Eq(a, b).
func (p *parser) condition() (piece, error) {
	if p.take("Eq(") {
		left, err := p.size()
		if err != nil {
			return piece{}, err
		}
		if !p.take(",") {
			return piece{}, p.unexpected()
		}
		right, err := p.size()
		if err == nil && !p.take(")") {
			err = p.unexpected()
		}
		return piece{comparison: "=", left: left, right: right}, err
	}
	left, err := p.size()
	if err != nil {
		return piece{}, err
	}
	for _, sign := range comparisons {
		if p.take(sign) {
			right, err := p.size()
			return piece{comparison: sign, left: left, right: right}, err
		}
	}
	return piece{}, p.unexpected()
}

// size reads a sum. It returns an error if the sum is not a whole number.
func (p *parser) size() (Dim, error) {
	f, err := p.sum()
	if err != nil {
		return Dim{}, err
	}
	return f.whole()
}

// decided reports whether it is certain that the condition is true, or false, for all sizes. holds
// is then the result.
func (c piece) decided() (holds, decided bool) {
	one := Number(1)
	switch c.comparison {
	case "":
		return true, true
	case "=":
		holds = c.left.Equal(c.right)
		return holds, holds || Apart(c.left, c.right)
	case "<", ">=":
		holds = c.right.AtLeast(c.left.Add(one))
		return holds == (c.comparison == "<"), holds || c.left.AtLeast(c.right)
	default:
		holds = c.left.AtLeast(c.right.Add(one))
		return holds == (c.comparison == ">"), holds || c.right.AtLeast(c.left)
	}
}

// orElse returns the value of the case if its condition holds, and other if not, as one expression.
// The bool is false unless that is the maximum or minimum of the two.
func (c piece) orElse(other Dim) (Dim, bool) {
	leftFirst := c.value.Equal(c.left) && other.Equal(c.right)
	rightFirst := c.value.Equal(c.right) && other.Equal(c.left)
	less := c.comparison == "<" || c.comparison == "<="
	switch {
	case !leftFirst && !rightFirst:
		return Dim{}, false
	case c.comparison == "=":
		return other, true // both are equal if the condition holds
	case leftFirst == less:
		return c.left.Min(c.right), true
	default:
		return c.left.Max(c.right), true
	}
}
