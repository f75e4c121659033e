package onnxtext

import (
	"strings"
)

// skip skips white space and comments, which extend from "#" to the end of the line.
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

// next returns the next character after white space without consuming it. It returns 0 at the end.
func (p *parser) next() byte {
	p.skip()
	if p.pos == len(p.in) {
		return 0
	}
	return p.in[p.pos]
}

// accept consumes a character if it comes next, and reports whether it did.
func (p *parser) accept(c byte) bool {
	if p.next() != c || p.pos == len(p.in) {
		return false
	}
	p.pos++
	return true
}

// expect consumes a character. If another one comes next, the error says that what was expected.
func (p *parser) expect(c byte, what string) error {
	if p.accept(c) {
		return nil
	}
	return p.expected(what)
}

// arrow consumes "=>", which must come next.
func (p *parser) arrow(what string) error {
	if p.next() != '=' || !strings.HasPrefix(p.in[p.pos:], "=>") {
		return p.expected(what)
	}
	p.pos += 2
	return nil
}

// peekWord returns the next identifier without consuming it. It returns "" if none comes next.
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

// identifier reads a required identifier.
func (p *parser) identifier(what string) (string, error) {
	if w := p.word(); w != "" {
		return w, nil
	}
	return "", p.expected(what)
}

// name reads an identifier or a string.
func (p *parser) name(what string) (string, error) {
	if p.next() == '"' {
		return p.string(what)
	}
	return p.identifier(what)
}

// string reads a quoted string. A character after a backslash is taken literally.
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
	return "", p.errorAt(start, `a closing quote for this string`)
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

// number reads a number: digits with an optional point and exponent, or a word such as "inf" or
// "nan". whole reports that it has neither point nor exponent.
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

// decimal returns the end of the decimal number that starts at position i.
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

// list reads items separated by commas, up to a closing character.
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
