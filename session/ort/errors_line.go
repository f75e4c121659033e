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
	runes, space := 0, false
	for _, field := range strings.Fields(text) {
		if space {
			out.WriteByte(' ')
		}
		space = true
		for len(field) > 0 {
			if runes++; runes > maxLineRunes {
				return out.String() + "…"
			}
			r, size := utf8.DecodeRuneInString(field)
			writeVisible(&out, r, field[:size])
			field = field[size:]
		}
	}
	return out.String()
}

func writeVisible(out *strings.Builder, r rune, encoded string) {
	if unicode.IsPrint(r) && (r != utf8.RuneError || len(encoded) > 1) {
		out.WriteString(encoded)
		return
	}
	quoted := strconv.Quote(encoded)
	out.WriteString(quoted[1 : len(quoted)-1])
}
