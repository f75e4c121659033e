// Package text formats text for people: names that are safe to print on a terminal, numbers with
// units, tables with aligned columns, and wrapped lines. It does not write colours.
package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many runes in a row that combine with the rune before them are printed unchanged.
// Longer runs cover the neighbouring lines, or are wider on the screen than their computed width.
const maxMarks = 2

// Clean makes an untrusted name safe to print on one line of a terminal. Printable runes stay.
// Everything else is escaped. A backslash is escaped too, so that two different names never look
// the same.
func Clean(s string) string { return clean(s, true) }

// CleanLine makes a line of text safe to print. It differs from Clean in that it keeps backslashes,
// because the names in the line are escaped already.
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

// writeEscaped writes the number of a rune: \x with two digits for ASCII, and \u{…} for others.
func writeEscaped(b *strings.Builder, r rune) {
	if r < utf8.RuneSelf {
		fmt.Fprintf(b, `\x%02x`, r)
		return
	}
	fmt.Fprintf(b, `\u{%x}`, r)
}

// marks counts how many of the last runes in a row combine with the rune before them.
type marks int

// print reports whether the next rune can be printed unchanged. It must be called for every rune,
// because it counts.
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

// joins reports whether a rune is drawn over or merged with the one before it: combining marks, the
// vowels and final consonants of Hangul syllables, and skin tones of emoji.
func joins(r rune) bool {
	return unicode.Is(unicode.M, r) || r >= 0x1160 && r <= 0x11ff || r >= 0xd7b0 && r <= 0xd7ff || r >= 0x1f3fb && r <= 0x1f3ff
}

// drawnAsNothing reports whether a rune is printable according to strconv, but terminals draw an
// empty cell or nothing for it: the grapheme joiner, Hangul fillers, Khmer inherent vowels, the
// blank braille pattern, the Khitan filler, the musical null notehead, and variation selectors.
func drawnAsNothing(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0, 0x16fe4, 0x1d159:
		return true
	}
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f
}
