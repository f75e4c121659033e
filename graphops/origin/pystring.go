package origin

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoted reads a Python string literal in single or double quotes.
func (r *pyReader) quoted() (string, bool) {
	quote := r.s[r.at]
	r.at++
	rest := r.s[r.at:]
	end := strings.IndexByte(rest, quote)
	if end < 0 {
		return "", false
	}
	if strings.IndexByte(rest[:end], '\\') < 0 {
		r.at += end + 1
		return rest[:end], true
	}
	var b strings.Builder
	for r.at < len(r.s) {
		c := r.s[r.at]
		r.at++
		switch {
		case c == quote:
			return b.String(), true
		case c != '\\':
			b.WriteByte(c)
		case !r.escape(&b):
			return "", false
		}
	}
	return "", false
}

// simpleEscapes maps the letter after a backslash to the character that the escape means.
var simpleEscapes = map[byte]byte{'\\': '\\', '\'': '\'', '"': '"', 'n': '\n', 't': '\t', 'r': '\r'}

// escapeDigits is the number of hexadecimal digits after the letter of an escape.
var escapeDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// escape reads the rest of an escape after its backslash, and appends the character to b.
func (r *pyReader) escape(b *strings.Builder) bool {
	if r.at == len(r.s) {
		return false
	}
	c := r.s[r.at]
	r.at++
	if plain, ok := simpleEscapes[c]; ok {
		b.WriteByte(plain)
		return true
	}
	n := escapeDigits[c]
	if n == 0 || r.at+n > len(r.s) {
		return false
	}
	x, err := strconv.ParseUint(r.s[r.at:r.at+n], 16, 32)
	if err != nil || x > utf8.MaxRune {
		return false
	}
	r.at += n
	b.WriteRune(rune(x))
	return true
}
