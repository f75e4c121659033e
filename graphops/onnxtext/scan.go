package onnxtext

import (
	"strings"
)

// skip passes over blanks and comments, which go from "#" to the end of the line.
func (p *parser) skip() {
	for p.pos < len(p.in) {
		switch p.in[p.pos] {
		case ' ', '\t', '\n', '\v', '\f', '\r':
			p.pos++
		case '#':
			n := strings.IndexByte(p.in[p.pos:], '\n')
			if n < 0 {
				n = len(p.in) - p.pos
			}
			p.pos += n
		default:
			return
		}
	}
}

// next is the character that comes next, 0 at the end.
func (p *parser) next() byte {
	p.skip()
	if p.pos == len(p.in) {
		return 0
	}
	return p.in[p.pos]
}

// accept takes a character if it comes next.
func (p *parser) accept(c byte) bool {
	if p.next() != c || p.pos == len(p.in) {
		return false
	}
	p.pos++
	return true
}

// expect takes a character that must come next; what says what it is there for.
func (p *parser) expect(c byte, what string) error {
	if p.accept(c) {
		return nil
	}
	return p.expected(what)
}

// arrow takes "=>".
func (p *parser) arrow(what string) error {
	if p.next() != '=' || !strings.HasPrefix(p.in[p.pos:], "=>") {
		return p.expected(what)
	}
	p.pos += 2
	return nil
}

// peekWord is the identifier that comes next, "" if there is none.
func (p *parser) peekWord() string {
	p.skip()
	n := p.pos
	for n < len(p.in) && inWord(p.in[n]) && (n > p.pos || !isDigit(p.in[n])) {
		n++
	}
	return p.in[p.pos:n]
}

func (p *parser) word() string {
	w := p.peekWord()
	p.pos += len(w)
	return w
}

// identifier takes an identifier that must come next.
func (p *parser) identifier(what string) (string, error) {
	if w := p.word(); w != "" {
		return w, nil
	}
	return "", p.expected(what)
}

// name takes an identifier or a string.
func (p *parser) name(what string) (string, error) {
	if p.next() == '"' {
		return p.string(what)
	}
	return p.identifier(what)
}

// string takes a string in quotes. A backslash stands before a character that is
// taken as it is.
func (p *parser) string(what string) (string, error) {
	if p.next() != '"' {
		return "", p.expected(what)
	}
	start, escapes := p.pos, 0
	for i := start + 1; i < len(p.in); i++ {
		switch p.in[i] {
		case '\\':
			escapes++
			i++
		case '"':
			p.pos = i + 1
			return unescape(p.in[start+1:i], escapes), nil
		}
	}
	return "", p.errorAt(start, `a closing quote to this one`)
}

func unescape(s string, escapes int) string {
	if escapes == 0 {
		return s
	}
	b := make([]byte, 0, len(s)-escapes)
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		}
		b = append(b, s[i])
	}
	return string(b)
}

// number takes a number: digits with a point or an exponent or without, or the
// words for what is not finite. whole tells that it has neither.
func (p *parser) number(what string) (s string, whole bool, err error) {
	p.skip()
	start, i := p.pos, p.pos
	if i < len(p.in) && p.in[i] == '-' {
		i++
	}
	switch {
	case i < len(p.in) && isDigit(p.in[i]):
		i, whole = p.decimal(i)
	case startsFloat(p.in[i:]):
		for i < len(p.in) && isLetter(p.in[i]) {
			i++
		}
	default:
		return "", false, p.expected(what)
	}
	p.pos = i
	return p.in[start:i], whole, nil
}

// decimal finds the end of the number that begins at i.
func (p *parser) decimal(i int) (end int, whole bool) {
	whole = true
	for i < len(p.in) && (isDigit(p.in[i]) || p.in[i] == '.' && whole) {
		whole = whole && p.in[i] != '.'
		i++
	}
	if i < len(p.in) && (p.in[i] == 'e' || p.in[i] == 'E') {
		whole = false
		i++
		if i < len(p.in) && (p.in[i] == '+' || p.in[i] == '-') {
			i++
		}
		for i < len(p.in) && isDigit(p.in[i]) {
			i++
		}
	}
	return i, whole
}

// list takes items with commas between, up to a closing character.
func (p *parser) list(closing byte, what string, item func() error) error {
	if p.accept(closing) {
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if p.accept(',') {
			continue
		}
		return p.expect(closing, what)
	}
}
