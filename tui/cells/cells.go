package cells

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"lathe/session/text"
)

// Ellipsis replaces what was cut off.
const Ellipsis = "…"

// Cut shortens text to w cells. If something is left out at the end, the text ends with "…".
func Cut(s string, w int) string {
	if w <= 0 {
		return ""
	}
	return Truncate(s, w, Ellipsis)
}

// CutFront shortens text to w cells from the front, because the end of a scoped name says most.
func CutFront(s string, w int) string {
	n := Width(s)
	switch {
	case n <= w:
		return s
	case w <= 0:
		return ""
	default:
		return Ellipsis + strings.TrimLeft(Drop(s, n-w+1), " ")
	}
}

// CutMiddle shortens a name to w cells. Of a name with modules, it keeps the parts with numbers and the
// last one; of other names, both ends.
func CutMiddle(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	if w <= 0 {
		return ""
	}
	return Cut(text.ShortName(s, w), w)
}

// CutNodeName is CutMiddle for the name of a node whose operator stands beside it: a last part that
// repeats the operator goes first.
func CutNodeName(name, op string, w int) string {
	if Width(name) <= w || w <= 0 {
		return CutMiddle(name, w)
	}
	return Cut(text.ShortNodeName(name, op, w), w)
}

// Drop returns text without its first x cells. If a wide character is cut in half, a blank replaces
// its second half.
func Drop(s string, x int) string {
	want := max(Width(s)-x, 0)
	rest := TruncateLeft(s, x)
	if Width(rest) > want {
		if want == 0 {
			return "" // the library separates some combining marks from their letters, and leaves a blank
		}
		rest = " " + TruncateLeft(s, x+1)
	}
	return rest
}

// Fit makes text exactly w cells wide.
func Fit(s string, w int) string {
	s = Cut(s, w)
	return s + Blanks(w-Width(s))
}

// FitRight makes text exactly w cells wide, aligned to the right.
func FitRight(s string, w int) string {
	s = Cut(s, w)
	return Blanks(w-Width(s)) + s
}

// Blanks returns n blanks.
func Blanks(n int) string { return strings.Repeat(" ", max(n, 0)) }

// Block returns exactly h lines of exactly w cells: longer lines are cut, and blanks are added.
func Block(lines []string, w, h int) []string {
	out := make([]string, max(h, 0))
	for i := range out {
		if i < len(lines) {
			out[i] = Fit(lines[i], w)
		} else {
			out[i] = Blanks(w)
		}
	}
	return out
}

// Overlay puts a Block of lines over others at r, in place.
func Overlay(under []string, r Rect, over []string) {
	for i, line := range over {
		y := r.Y + i
		if y < 0 || y >= len(under) {
			continue
		}
		left := Fit(Truncate(under[y], r.X, ""), r.X)
		under[y] = left + line + Drop(under[y], r.X+r.W)
	}
}

// SafeLines splits a report or an error into lines that a terminal may show.
func SafeLines(s string) []string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = Prose(l)
	}
	return lines
}

// Wrap breaks a line, which must already be safe, into lines of at most w cells, between words or
// within a name.
func Wrap(s string, w int) []string { return strings.Split(ansi.Wrap(s, max(w, 1), "/._"), "\n") }

// beginning returns the beginning of a text that is wider than w cells, or all of it. Texts can be so
// long that looking at the rest for each line would take minutes.
func beginning(s string, w int) string {
	const most = 4 // cells of one character, which the end may cut
	for n := 16 * w; n < len(s); n *= 2 {
		for !utf8.RuneStart(s[n]) && n < len(s)-1 {
			n++
		}
		if Width(s[:n]) > w+most {
			return s[:n]
		}
	}
	return s
}

// WrapWords is like Wrap but breaks only at blanks if the words fit a line, so that --flags stay
// whole.
func WrapWords(s string, w int) []string {
	w = max(w, 1)
	var out []string
	for {
		head := beginning(s, w)
		if Width(head) <= w {
			break
		}
		line := Truncate(head, w, "")
		if !strings.HasPrefix(s[len(line):], " ") && !strings.HasSuffix(line, " ") {
			if i := strings.LastIndexByte(line, ' '); strings.TrimSpace(line[:max(i, 0)]) != "" {
				line = line[:i]
			}
		}
		if line == "" {
			break // not even one character fits
		}
		s = strings.TrimLeft(s[len(line):], " ")
		out = append(out, strings.TrimRight(line, " "))
	}
	return append(out, s)
}
