package filter

import (
	"strings"
	"unicode/utf8"
)

// pattern is a text to search for, possibly with the wildcards * and ?.
type pattern struct {
	literal string  // only without wildcards
	glob    []piece // only with wildcards
	fold    bool    // ignore the case of a to z
	part    bool    // a literal may match a part
}

// piece is a part of a pattern with wildcards, which matches one or more characters.
type piece struct {
	kind pieceKind
	c    byte // of a pieceByte
}

type pieceKind uint8

const (
	pieceByte  pieceKind = iota
	pieceOne             // any one character
	pieceMany            // any characters
	pieceTimes           // a separator of dimensions, or the letter x
)

// compile returns the pattern for a text. part allows a pattern without wildcards to match a part
// of a text.
func compile(t text, part bool) pattern {
	p := pattern{fold: !hasUpper(t.s), part: part}
	if !t.isWild() {
		p.literal = t.s
		return p
	}
	for i := range len(t.s) {
		switch c := t.s[i]; {
		case c == '*' && t.isPlain(i):
			if n := len(p.glob); n == 0 || p.glob[n-1].kind != pieceMany {
				p.glob = append(p.glob, piece{kind: pieceMany})
			}
		case c == '?' && t.isPlain(i):
			p.glob = append(p.glob, piece{kind: pieceOne})
		default:
			p.glob = append(p.glob, piece{pieceByte, c})
		}
	}
	return p
}

// hasUpper reports whether s contains one of the letters A to Z.
func hasUpper(s string) bool {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			return true
		}
	}
	return false
}

// matches reports whether s matches the pattern. It does not allocate memory.
func (p *pattern) matches(s string) bool {
	switch {
	case p.glob != nil:
		return matchGlob(p.glob, s, p.fold)
	case p.part:
		return contains(s, p.literal, p.fold)
	default:
		return len(s) == len(p.literal) && hasPrefix(s, p.literal, p.fold)
	}
}

// matchesAny reports whether one of the texts matches the pattern.
func (p *pattern) matchesAny(list []string) bool {
	for _, s := range list {
		if p.matches(s) {
			return true
		}
	}
	return false
}

// matchGlob reports whether s matches all pieces of a pattern in order. After a mismatch it
// continues after the last * with the next character of s. Trying an earlier * again could not
// help, so that the time is at most proportional to the product of both lengths.
func matchGlob(glob []piece, s string, fold bool) bool {
	at, i := 0, 0        // positions in glob and in s
	star, again := -1, 0 // the last *, and where to continue in s after it
	for i < len(s) {
		if at < len(glob) {
			if glob[at].kind == pieceMany {
				star, again = at, i
				at++
				continue
			}
			if n := glob[at].takes(s[i:], fold); n > 0 {
				at, i = at+1, i+n
				continue
			}
		}
		if star < 0 {
			return false
		}
		again++
		at, i = star+1, again
	}
	for at < len(glob) && glob[at].kind == pieceMany {
		at++
	}
	return at == len(glob)
}

// times separates the dimensions of a shape in the form in which it is displayed.
const times = "×"

// takes returns the number of bytes at the beginning of s that the piece matches; 0 if it does not
// match.
func (p piece) takes(s string, fold bool) int {
	switch p.kind {
	case pieceOne:
		_, n := utf8.DecodeRuneInString(s)
		return n
	case pieceTimes:
		if strings.HasPrefix(s, times) {
			return len(times)
		}
	case pieceMany:
		return 0
	}
	if c := s[0]; c == p.c || fold && lowerByte(c) == p.c {
		return 1
	}
	return 0
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func upperByte(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - ('a' - 'A')
	}
	return c
}

// hasPrefix reports whether s begins with word. If fold is set, it ignores the case of the letters
// A to Z in s, and word must be in lower case.
func hasPrefix(s, word string, fold bool) bool {
	if !fold {
		return strings.HasPrefix(s, word)
	}
	if len(s) < len(word) {
		return false
	}
	for i := range len(word) {
		if lowerByte(s[i]) != word[i] {
			return false
		}
	}
	return true
}

// contains reports whether s contains word, with fold as in hasPrefix. It only compares where the
// first letter of word occurs.
func contains(s, word string, fold bool) bool {
	if !fold || word == "" {
		return strings.Contains(s, word)
	}
	lo, up := finder{c: word[0], next: -1}, finder{c: upperByte(word[0]), next: -1}
	for at := 0; at+len(word) <= len(s); at++ {
		at = min(lo.from(s, at), up.from(s, at))
		if at+len(word) > len(s) {
			return false
		}
		if hasPrefix(s[at:], word, true) {
			return true
		}
	}
	return false
}

// finder finds the next occurrence of a byte after increasing positions. It examines each byte only
// once.
type finder struct {
	c    byte
	next int
}

func (f *finder) from(s string, at int) int {
	if f.next < at {
		f.next = len(s)
		if i := strings.IndexByte(s[at:], f.c); i >= 0 {
			f.next = at + i
		}
	}
	return f.next
}
