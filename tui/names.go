package tui

import (
	"unicode/utf8"

	"lathe/session/text"
)

// Bounds, in bytes, of what is shown of one name and of one line of a report or
// a message. Real names have some hundred bytes; one of a megabyte would make
// every frame slow that shows it.
const (
	maxLabel = 2 << 10
	maxLine  = 16 << 10
)

// label is a name from a model as it is shown: safe to print and bounded.
func label(name string) string { return text.Clean(abridge(name, maxLabel)) }

// prose does the same for a line of text in which names are quoted already.
func prose(line string) string { return text.CleanLine(abridge(line, maxLine)) }

// abridge shortens a text of more than limit bytes in its middle, and says so.
func abridge(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head, tail := limit/2, len(s)-limit/2
	for !utf8.RuneStart(s[head]) && head > limit/2-utf8.UTFMax {
		head--
	}
	for !utf8.RuneStart(s[tail]) && tail < len(s)-limit/2+utf8.UTFMax {
		tail++
	}
	return s[:head] + " … of " + text.Count(int64(len(s))) + " bytes … " + s[tail:]
}
