package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lathe/session/text"
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
	}
	// A wide character at the cut makes one cell more than asked for disappear.
	return ansi.TruncateLeft(s, n-w+1, ellipsis)
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
		under[y] = left + line + ansi.TruncateLeft(under[y], r.x+r.w, "")
	}
}

// safeLines splits a report or an error into lines that a terminal may show.
func safeLines(s string) []string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = text.CleanLine(l)
	}
	return lines
}

// wrap breaks a line that is clean already into lines of at most w cells.
func wrap(s string, w int) []string {
	return strings.Split(ansi.Wrap(s, max(w, 1), "/._"), "\n")
}
