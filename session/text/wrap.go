package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Wrap breaks a line at its spaces into lines of at most width columns. The line must be safe to
// print. All lines but the first begin with indent. A word that is wider than width gets a line of
// its own. A width of 0 means no limit.
func Wrap(s string, width int, indent string) []string {
	if width <= 0 || ansi.StringWidth(s) <= width {
		return []string{s}
	}
	kept := s[:len(s)-len(strings.TrimLeft(s, " "))] // the indentation of the first line
	var lines []string
	line := kept
	at, empty := ansi.StringWidth(kept), true
	for _, word := range strings.Fields(s) {
		wide := ansi.StringWidth(word)
		if !empty && at+1+wide > width {
			lines = append(lines, line)
			line, at, empty = indent, ansi.StringWidth(indent), true
		}
		if !empty {
			line += " "
			at++
		}
		line += word
		at, empty = at+wide, false
	}
	return append(lines, line)
}

// Paragraphs breaks a text into lines of at most width columns. Empty lines separate paragraphs.
// Within a paragraph the text is wrapped again, so line breaks in s have no effect. Indented lines
// stay as they are.
func Paragraphs(s string, width int) []string {
	var out []string
	flowing := ""
	flush := func() {
		if flowing != "" {
			out = append(out, Wrap(flowing, width, "")...)
			flowing = ""
		}
	}
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, " \n")
		switch {
		case line == "":
			flush()
			out = append(out, "")
		case strings.HasPrefix(line, " "), strings.HasPrefix(line, "\t"):
			flush()
			out = append(out, line)
		case flowing == "":
			flowing = line
		default:
			flowing += " " + line
		}
	}
	flush()
	return out
}
