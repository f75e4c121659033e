// Package text prepares text for people: names that are safe on a terminal,
// numbers with units, aligned columns. It knows no colour.
package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many runes in a row that join the one before them are left as
// they are: more pile up over the neighbouring lines, or are drawn wider than they
// are measured.
const maxMarks = 2

// Clean makes an untrusted name safe for one line of a terminal. Only what
// prints survives; everything else is shown escaped, and so is the backslash
// that begins an escape, so that two names never look alike.
func Clean(s string) string { return clean(s, true) }

// CleanLine does the same for a line of text in which names are quoted already:
// its backslashes stay.
func CleanLine(s string) string { return clean(s, false) }

func clean(s string, backslash bool) string {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] < 0x7f && (s[i] != '\\' || !backslash) {
		i++
	}
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	var row marks
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !row.print(r):
			writeEscaped(&b, r)
		case r == '\\' && backslash:
			b.WriteString(`\\`)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// writeEscaped shows a rune by its number: two figures are ASCII, or a byte that is
// no text.
func writeEscaped(b *strings.Builder, r rune) {
	if r < utf8.RuneSelf {
		fmt.Fprintf(b, `\x%02x`, r)
		return
	}
	fmt.Fprintf(b, `\u{%x}`, r)
}

// marks counts the runes in a row that join the one before them.
type marks int

// print reports whether the next rune can be printed as it is.
func (m *marks) print(r rune) bool {
	if r < utf8.RuneSelf {
		*m = 0
		return r >= 0x20 && r < 0x7f
	}
	if joins(r) {
		*m++
	} else {
		*m = 0
	}
	return strconv.IsPrint(r) && !drawnAsNothing(r) && *m <= maxMarks
}

// joins reports whether a rune is drawn over or into the one before it: marks, the
// vowels and finals of Hangul syllables in parts, the tones of emoji.
func joins(r rune) bool {
	return unicode.Is(unicode.M, r) || r >= 0x1160 && r <= 0x11ff || r >= 0xd7b0 && r <= 0xd7ff || r >= 0x1f3fb && r <= 0x1f3ff
}

// drawnAsNothing lists what strconv calls printable and terminals draw as an
// empty cell or not at all: the grapheme joiner, Hangul fillers, Khmer inherent
// vowels, the blank braille pattern, the Khitan filler, the musical null, variation
// selectors.
func drawnAsNothing(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0, 0x16fe4, 0x1d159:
		return true
	}
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f
}
