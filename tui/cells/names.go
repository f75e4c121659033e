package cells

import (
	"unicode/utf8"

	"lathe/session/text"
)

// Limits, in bytes, for one name and for one line of a report or message. Typical names have up to
// some hundred bytes. A name of a megabyte would slow down every frame that shows it.
const (
	MaxLabel = 2 << 10
	MaxLine  = 16 << 10
)

// Label returns a name from a model in the form shown: safe to print and of limited length.
func Label(name string) string { return text.Clean(Abridge(name, MaxLabel)) }

// Prose returns a line of text in the form shown: safe to print and of limited length. Unlike Label
// it is for sentences, in which names are already quoted.
func Prose(line string) string { return text.CleanLine(Abridge(line, MaxLine)) }

// Abridge shortens a text of more than limit bytes in the middle, and says so in the text.
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
