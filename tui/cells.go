package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const ellipsis = "…"

// cut shortens text to w cells; what is left out at the end shows as "…".
func cut(s string, w int) string {
	if w <= 0 {
		return ""
	}
	return ansi.Truncate(s, w, ellipsis)
}

// cutFront shortens text to w cells from the front: the end of a scoped name
// tells most.
func cutFront(s string, w int) string {
	n := ansi.StringWidth(s)
	switch {
	case n <= w:
		return s
	case w <= 0:
		return ""
	default:
		return ellipsis + strings.TrimLeft(dropCells(s, n-w+1), " ")
	}
}

// dropCells is text from cell x on. Of a wide character that is cut in half a blank
// is left.
func dropCells(s string, x int) string {
	want := max(ansi.StringWidth(s)-x, 0)
	rest := ansi.TruncateLeft(s, x, "")
	if ansi.StringWidth(rest) > want {
		rest = " " + ansi.TruncateLeft(s, x+1, "")
	}
	return rest
}

// fit makes text exactly w cells wide.
func fit(s string, w int) string {
	s = cut(s, w)
	return s + blanks(w-ansi.StringWidth(s))
}

// fitRight makes text exactly w cells wide, aligned to the right.
func fitRight(s string, w int) string {
	s = cut(s, w)
	return blanks(w-ansi.StringWidth(s)) + s
}

func blanks(n int) string { return strings.Repeat(" ", max(n, 0)) }

// block makes lines exactly h lines of exactly w cells.
func block(lines []string, w, h int) []string {
	out := make([]string, max(h, 0))
	for i := range out {
		if i < len(lines) {
			out[i] = fit(lines[i], w)
		} else {
			out[i] = blanks(w)
		}
	}
	return out
}

// overlay puts a block of lines over others at r, in place.
func overlay(under []string, r rect, over []string) {
	for i, line := range over {
		y := r.y + i
		if y < 0 || y >= len(under) {
			continue
		}
		left := fit(ansi.Truncate(under[y], r.x, ""), r.x)
		under[y] = left + line + dropCells(under[y], r.x+r.w)
	}
}

// safeLines splits a report or an error into lines that a terminal may show.
func safeLines(s string) []string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = prose(l)
	}
	return lines
}

// wrap breaks a line that is clean already into lines of at most w cells,
// between words or within a name.
func wrap(s string, w int) []string { return strings.Split(ansi.Wrap(s, max(w, 1), "/._"), "\n") }

// wrapWords does so between words only, where one fits a line.
func wrapWords(s string, w int) []string { return strings.Split(ansi.Wrap(s, max(w, 1), ""), "\n") }
