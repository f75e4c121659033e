package ort

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLineRunes is the largest number of characters of an error message: a few lines on a terminal.
// The runtime's messages, which list types and paths, are seldom longer.
const maxLineRunes = 2000

// oneLine makes another program's text safe for an error message. Runs of white space become one
// space. Characters that are not printable, such as escape sequences in a hostile name, are written
// as in a Go string.
func oneLine(text string) string {
	var out strings.Builder
	left, space := maxLineRunes, false
	for field := range strings.FieldsSeq(text) {
		if space {
			out.WriteByte(' ')
			left--
		}
		space = true
		for len(field) > 0 {
			r, size := utf8.DecodeRuneInString(field)
			shown := visible(r, field[:size])
			if left -= utf8.RuneCountInString(shown); left < 0 {
				return out.String() + "…"
			}
			out.WriteString(shown)
			field = field[size:]
		}
	}
	return out.String()
}

// visible returns a character in the form in which it is printed.
func visible(r rune, encoded string) string {
	if unicode.IsPrint(r) && (r != utf8.RuneError || len(encoded) > 1) {
		return encoded
	}
	quoted := strconv.Quote(encoded)
	return quoted[1 : len(quoted)-1]
}
