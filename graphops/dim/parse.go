package dim

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxDepth is the maximum nesting of parentheses.
const maxDepth = 64

// Parse reads an expression. The package documentation lists the supported forms. It returns an
// error if the text has another form or its value is not a whole number.
func Parse(text string) (Dim, error) {
	if len(text) > MaxText {
		return Dim{}, fmt.Errorf("an expression of %d bytes, expected at most %d", len(text), MaxText)
	}
	p := &parser{rest: text}
	f, err := p.sum()
	if err == nil && p.peek() != 0 {
		err = p.unexpected()
	}
	var d Dim
	if err == nil {
		d, err = f.whole()
	}
	if err != nil {
		return Dim{}, fmt.Errorf("%q: %w", text, err)
	}
	return d, nil
}

// OfText returns the size that a dim_param in a file stands for. If the text is not a supported
// expression, it is a symbol with that name. Words with hyphens, such as batch-size, are a name:
// String writes a difference of two symbols with spaces, batch - size.
func OfText(name string) Dim {
	if isName(name) || isHyphenated(name) {
		return Symbol(name)
	}
	d, err := Parse(name)
	if _, number := d.Number(); err != nil || number || !d.Known() {
		return Symbol(name)
	}
	return d
}

// Simplified returns a dim_param in the form in which it is shown: an expression in its normal
// form, and any other text unchanged.
func Simplified(name string) string {
	if !strings.ContainsAny(name, "(+-*/%") {
		return name
	}
	return OfText(name).String()
}

func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// isHyphenated reports whether the text consists of at least two names with hyphens between them.
func isHyphenated(s string) bool {
	for part := range strings.SplitSeq(s, "-") {
		if !isName(part) {
			return false
		}
	}
	return strings.Contains(s, "-")
}

// isLetter reports whether a byte can begin a name. Besides letters these are the signs that
// exporters use in names.
func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || c == '$' || c == ':' || c >= 0x80
}

type parser struct {
	rest  string
	depth int
}

// peek skips spaces and returns the next byte without taking it; 0 at the end.
func (p *parser) peek() byte {
	p.rest = strings.TrimLeft(p.rest, " ")
	if p.rest == "" {
		return 0
	}
	return p.rest[0]
}

func (p *parser) take(s string) bool {
	p.peek()
	if !strings.HasPrefix(p.rest, s) {
		return false
	}
	p.rest = p.rest[len(s):]
	return true
}

func (p *parser) unexpected() error {
	if p.peek() == 0 {
		return errors.New("the expression ends too early")
	}
	return fmt.Errorf("%q is not expected there", p.rest)
}

func (p *parser) sum() (fraction, error) {
	out, err := p.product()
	for err == nil {
		var f fraction
		switch {
		case p.take("+"):
			f, err = p.product()
			out = out.add(f)
		case p.take("-"):
			f, err = p.product()
			out = out.add(f.neg())
		default:
			return out, nil
		}
	}
	return out, err
}

func (p *parser) product() (fraction, error) {
	out, err := p.factor()
	for err == nil {
		var f fraction
		switch {
		case p.take("*"):
			f, err = p.factor()
			out = out.mul(f)
		case p.take("//"):
			f, err = p.factor()
			out = integral(out.over(f).floor())
		case p.take("/"):
			f, err = p.factor()
			out = out.over(f)
		case p.take("%"):
			f, err = p.factor()
			out = out.mod(f)
		default:
			return out, nil
		}
	}
	return out, err
}

// factor reads an operand with its sign and its power. A power binds tighter than a sign: -a**2 is
// -(a**2).
func (p *parser) factor() (fraction, error) {
	if p.depth++; p.depth > maxDepth {
		return fraction{}, fmt.Errorf("more than %d levels of parentheses", maxDepth)
	}
	defer func() { p.depth-- }()
	if p.take("-") {
		if c := p.peek(); c >= '0' && c <= '9' {
			return p.number("-") // the smallest number has no opposite
		}
		f, err := p.factor()
		return f.neg(), err
	}
	base, err := p.primary()
	if err != nil || !p.take("**") {
		return base, err
	}
	exponent, err := p.factor()
	if err != nil {
		return base, err
	}
	return base.power(exponent)
}

func (p *parser) primary() (fraction, error) {
	switch c := p.peek(); {
	case p.take("("):
		return p.closed(p.sum)
	case c >= '0' && c <= '9':
		return p.number("")
	case c == '{':
		return p.quotedName()
	case c != 0 && isLetter(c):
		return p.named()
	default:
		return fraction{}, p.unexpected()
	}
}

// closed calls read, and then reads the closing parenthesis.
func (p *parser) closed(read func() (fraction, error)) (fraction, error) {
	f, err := read()
	if err == nil && !p.take(")") {
		err = p.unexpected()
	}
	return f, err
}

func (p *parser) digits() string {
	i := 0
	for i < len(p.rest) && p.rest[i] >= '0' && p.rest[i] <= '9' {
		i++
	}
	out := p.rest[:i]
	p.rest = p.rest[i:]
	return out
}

func (p *parser) number(sign string) (fraction, error) {
	before := p.digits()
	if strings.HasPrefix(p.rest, ".") {
		p.rest = p.rest[1:]
		return decimal(sign, before, p.digits())
	}
	n, err := strconv.ParseInt(sign+before, 10, 64)
	if err != nil {
		return fraction{}, ErrOverflow
	}
	return integral(Number(n)), nil
}

func (p *parser) quotedName() (fraction, error) {
	var name strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '}':
			p.rest = p.rest[i+1:]
			return integral(Symbol(name.String())), nil
		case c == '\\' && i+1 < len(p.rest):
			i++
			name.WriteByte(p.rest[i])
		default:
			name.WriteByte(c)
		}
	}
	return fraction{}, errors.New("a name in braces lacks the closing brace")
}

// named reads a symbol or a function call.
func (p *parser) named() (fraction, error) {
	i := 0
	for i < len(p.rest) && (isLetter(p.rest[i]) || p.rest[i] >= '0' && p.rest[i] <= '9') {
		i++
	}
	name := p.rest[:i]
	p.rest = p.rest[i:]
	if !p.take("(") {
		return integral(Symbol(name)), nil
	}
	if name == "Piecewise" {
		return p.closed(p.pieces)
	}
	return p.closed(func() (fraction, error) { return p.call(name) })
}
