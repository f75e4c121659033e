package cells

import (
	"unicode/utf8"

	"lathe/session/text"
)

// Bounds, in bytes, of what is shown of one name and of one line of a report or
// a message. Real names have some hundred bytes; one of a megabyte would make
// every frame slow that shows it.
const (
	MaxLabel = 2 << 10
	MaxLine  = 16 << 10
)

// Label is a name from a model as it is shown: safe to print and bounded.
func Label(name string) string { return text.Clean(Abridge(name, MaxLabel)) }

// Prose does the same for a line of text in which names are quoted already.
func Prose(line string) string { return text.CleanLine(Abridge(line, MaxLine)) }

// Abridge shortens a text of more than limit bytes in its middle, and says so.
func Abridge(s string, limit int) string {
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
