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

// maxMarks is how many combining marks in a row are left as they are; more pile
// up over the neighbouring lines.
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
	marks := 0
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.In(r, unicode.Mn, unicode.Me) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\\' && backslash:
			b.WriteString(`\\`)
		case !strconv.IsPrint(r) || drawnAsNothing(r) || marks > maxMarks:
			writeEscaped(&b, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

func writeEscaped(b *strings.Builder, r rune) {
	if r < 0x100 {
		fmt.Fprintf(b, `\x%02x`, r)
		return
	}
	fmt.Fprintf(b, `\u{%x}`, r)
}

// drawnAsNothing lists what strconv calls printable and terminals draw as an
// empty cell or not at all: the grapheme joiner, Hangul fillers, Khmer inherent
// vowels, the blank braille pattern, variation selectors.
func drawnAsNothing(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0:
		return true
	}
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f
}
