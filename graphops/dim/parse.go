package dim

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxDepth is how deep parentheses may stand in each other.
const maxDepth = 64

// Parse reads an expression: what String writes, and the forms in which exporters
// write one: spaces, //, %, ceil(a/b), Max, Min, Mod(a,b).
func Parse(text string) (Dim, error) {
	if len(text) > MaxText {
		return Dim{}, fmt.Errorf("an expression of %d bytes, expected at most %d", len(text), MaxText)
	}
	p := &parser{rest: text}
	d, err := p.sum()
	if err == nil && p.peek() != 0 {
		err = p.unexpected()
	}
	if err == nil {
		err = d.Err()
	}
	if err != nil {
		return Dim{}, fmt.Errorf("%q: %w", text, err)
	}
	return d, nil
}

// OfText is the size that a name in a file stands for: the expression that it
// reads as, else a symbol of that name. A word with hyphens, batch-size, is a name:
// a difference of two symbols has spaces, batch - size, as String writes it.
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

func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// isHyphenated reports whether the text is names with hyphens between them.
func isHyphenated(s string) bool {
	for part := range strings.SplitSeq(s, "-") {
		if !isName(part) {
			return false
		}
	}
	return strings.Contains(s, "-")
}

// isLetter is lenient: what begins a name, and dots and signs that exporters put
// into one.
func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || c == '$' || c == ':' || c >= 0x80
}

type parser struct {
	rest  string
	depth int
}

// peek is the next byte that is no space, 0 at the end.
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

func (p *parser) sum() (Dim, error) {
	out, err := p.product()
	for err == nil {
		var d Dim
		switch {
		case p.take("+"):
			d, err = p.product()
			out = out.Add(d)
		case p.take("-"):
			d, err = p.product()
			out = out.Sub(d)
		default:
			return out, nil
		}
	}
	return out, err
}

func (p *parser) product() (Dim, error) {
	out, err := p.factor()
	for err == nil {
		var d Dim
		switch {
		case p.take("*"):
			d, err = p.factor()
			out = out.Mul(d)
		case p.take("//"):
			d, err = p.factor()
			out = out.FloorDiv(d)
		case p.take("%"):
			d, err = p.factor()
			out = out.Mod(d)
		default:
			return out, nil
		}
	}
	return out, err
}

func (p *parser) factor() (Dim, error) {
	if p.depth++; p.depth > maxDepth {
		return Dim{}, fmt.Errorf("more than %d levels of parentheses", maxDepth)
	}
	defer func() { p.depth-- }()
	switch c := p.peek(); {
	case p.take("-"):
		if c := p.peek(); c >= '0' && c <= '9' {
			return p.number("-") // the smallest one has no negative
		}
		d, err := p.factor()
		return d.Neg(), err
	case p.take("("):
		return p.closed(p.sum)
	case c >= '0' && c <= '9':
		return p.number("")
	case c == '{':
		return p.quotedName()
	case c != 0 && isLetter(c):
		return p.named()
	default:
		return Dim{}, p.unexpected()
	}
}

// closed reads something and the parenthesis behind it.
func (p *parser) closed(read func() (Dim, error)) (Dim, error) {
	d, err := read()
	if err == nil && !p.take(")") {
		err = p.unexpected()
	}
	return d, err
}

func (p *parser) number(sign string) (Dim, error) {
	i := 0
	for i < len(p.rest) && p.rest[i] >= '0' && p.rest[i] <= '9' {
		i++
	}
	n, err := strconv.ParseInt(sign+p.rest[:i], 10, 64)
	if err != nil {
		return Dim{}, ErrOverflow
	}
	p.rest = p.rest[i:]
	return Number(n), nil
}

func (p *parser) quotedName() (Dim, error) {
	var name strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '}':
			p.rest = p.rest[i+1:]
			return Symbol(name.String()), nil
		case c == '\\' && i+1 < len(p.rest):
			i++
			name.WriteByte(p.rest[i])
		default:
			name.WriteByte(c)
		}
	}
	return Dim{}, errors.New("a name in braces has no end")
}

func (p *parser) named() (Dim, error) {
	i := 0
	for i < len(p.rest) && (isLetter(p.rest[i]) || p.rest[i] >= '0' && p.rest[i] <= '9') {
		i++
	}
	name := p.rest[:i]
	p.rest = p.rest[i:]
	if !p.take("(") {
		return Symbol(name), nil
	}
	switch name {
	case "floor", "ceil", "ceiling":
		return p.closed(func() (Dim, error) { return p.quotient(name != "floor") })
	case "max", "Max":
		return p.closed(func() (Dim, error) { return p.arguments(maxOf) })
	case "min", "Min":
		return p.closed(func() (Dim, error) { return p.arguments(minOf) })
	case "broadcast":
		return p.closed(func() (Dim, error) { return p.arguments(broadcastOf) })
	case "mod", "Mod":
		return p.closed(p.remainder)
	}
	return Dim{}, fmt.Errorf("%s is no function, expected floor, ceil, max, min, mod or broadcast", name)
}

func (p *parser) quotient(up bool) (Dim, error) {
	a, err := p.sum()
	if err != nil || !p.take("/") {
		return a, err
	}
	b, err := p.factor()
	if up {
		return a.CeilDiv(b), err
	}
	return a.FloorDiv(b), err
}

func (p *parser) remainder() (Dim, error) {
	a, err := p.sum()
	if err != nil {
		return a, err
	}
	if !p.take(",") {
		return a, p.unexpected()
	}
	b, err := p.sum()
	return a.Mod(b), err
}

func (p *parser) arguments(k kind) (Dim, error) {
	var args []Dim
	for {
		d, err := p.sum()
		if err != nil {
			return d, err
		}
		if args = append(args, d); !p.take(",") {
			return k.of(args), nil
		}
	}
}
