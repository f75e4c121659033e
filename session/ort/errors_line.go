package ort

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLineRunes keeps an error on a few lines of a terminal. The runtime's
// texts list types and paths and seldom reach it.
const maxLineRunes = 2000

// oneLine makes another program's text fit for an error message: runs of white
// space become one space, and what is not printable, such as an escape sequence
// in a hostile name, is shown as Go would write it in a string.
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
