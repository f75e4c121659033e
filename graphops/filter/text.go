package filter

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// text is a text of an expression without its quotes. quoted reports which bytes were in quotes.
type text struct {
	from, to int // positions in the expression
	s        string
	quoted   []bool // by byte of s; nil if nothing is quoted
}

// isPlain reports whether the byte at position i was not in quotes, so that it can be syntax.
func (t text) isPlain(i int) bool { return t.quoted == nil || !t.quoted[i] }

// index returns the position of the first byte that was not in quotes and is one of chars; -1 if
// there is no such byte.
func (t text) index(chars string) int {
	for i := range len(t.s) {
		if t.isPlain(i) && strings.IndexByte(chars, t.s[i]) >= 0 {
			return i
		}
	}
	return -1
}

func (t text) isWild() bool { return t.index("*?") >= 0 }

// slice returns the bytes from..to of the text. Its positions in the expression remain those of the
// whole, for messages.
func (t text) slice(from, to int) text {
	c := t
	c.s = t.s[from:to]
	if t.quoted != nil {
		c.quoted = t.quoted[from:to]
	}
	return c
}

// cutRange splits the text at the first ".." that was not in quotes. ok is false if the text has no
// such "..".
func (t text) cutRange() (before, after text, ok bool) {
	for i := 0; i+1 < len(t.s); i++ {
		if t.s[i:i+2] == ".." && t.isPlain(i) && t.isPlain(i+1) {
			return t.slice(0, i), t.slice(i+2, len(t.s)), true
		}
	}
	return t, text{}, false
}

// reader reads an expression from left to right.
type reader struct {
	expr string
	at   int
}

func (r *reader) skipSpace() {
	for r.at < len(r.expr) && isSpace(r.expr[r.at]) {
		r.at++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// text reads a text up to a space, a "|" or an unmatched ")". If item is set, it also ends at a
// comma that is not in brackets.
func (r *reader) text(item bool) (text, *Error) {
	from := r.at
	var b textBuilder
	round, square := 0, 0
	for ; r.at < len(r.expr); r.at++ {
		c := r.expr[r.at]
		if isSpace(c) || c == '|' || c == ')' && round == 0 || item && c == ',' && round+square == 0 {
			break
		}
		switch {
		case c == '"':
			if err := r.quoted(&b); err != nil {
				return text{}, err
			}
			continue
		case c == '(':
			round++
		case c == ')':
			round--
		case c == '[':
			square++
		case c == ']' && square > 0:
			square--
		}
		b.add(false, c)
	}
	return b.text(from, r.at), nil
}

// textBuilder collects the bytes of a text, and which of them were in quotes.
type textBuilder struct {
	s         []byte
	quoted    []bool
	hasQuotes bool
}

func (b *textBuilder) add(quoted bool, s ...byte) {
	b.s = append(b.s, s...)
	for range s {
		b.quoted = append(b.quoted, quoted)
	}
}

func (b *textBuilder) text(from, to int) text {
	t := text{from: from, to: to, s: string(b.s)}
	if b.hasQuotes {
		t.quoted = append([]bool{}, b.quoted...)
	}
	return t
}

// quoted reads a text in quotes. It stops at the closing quote without reading it.
func (r *reader) quoted(b *textBuilder) *Error {
	from := r.at
	b.hasQuotes = true
	for r.at++; r.at < len(r.expr); r.at++ {
		switch c := r.expr[r.at]; c {
		case '"':
			return nil
		case '\\':
			s, n := unescape(r.expr[r.at:])
			b.add(true, []byte(s)...)
			r.at += n - 1
		default:
			b.add(true, c)
		}
	}
	return fault(r.expr, from, len(r.expr), `the quote is not closed; end it with "`)
}

// unescape returns the text that the escape sequence at the beginning of s represents, and the
// length of the sequence. A backslash without a known sequence stands for itself.
func unescape(s string) (string, int) {
	if len(s) < 2 {
		return s, len(s)
	}
	switch s[1] {
	case '"', '\\':
		return s[1:2], 2
	case 'n':
		return "\n", 2
	case 't':
		return "\t", 2
	case 'x':
		if len(s) >= 4 {
			if c, err := strconv.ParseUint(s[2:4], 16, 8); err == nil {
				return string([]byte{byte(c)}), 4
			}
		}
	case 'u':
		if end := strings.IndexByte(s, '}'); end > 3 && s[2] == '{' {
			if r, err := strconv.ParseUint(s[3:end], 16, 32); err == nil && utf8.ValidRune(rune(r)) {
				return string(rune(r)), end + 1
			}
		}
	}
	return `\`, 1
}
