package cells

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width returns the number of cells of a line; style sequences have no width.
//
// Nearly all drawn text is ASCII and box-drawing characters, each of which takes one cell
// regardless of its neighbors. Counting those needs no table of combining characters, which used to
// take half of the time of a frame.
func Width(s string) int {
	if w, ok := simple(s); ok {
		return w
	}
	return ansi.StringWidth(s)
}

// simple returns the width of a line, if all its characters take one cell each and never combine
// with others. Styles have no width. It returns false for other lines.
func simple(s string) (width int, ok bool) {
	for i := 0; i < len(s); {
		n, cells := step(s[i:])
		if n == 0 {
			return 0, false
		}
		width += cells
		i += n
	}
	return width, true
}

// step returns the length in bytes of the character or style sequence at the beginning of s, and
// its width in cells. The length is 0 if the character may take more than one cell or combine with
// others.
func step(s string) (bytes, cells int) {
	switch c := s[0]; {
	case c >= 0x20 && c < 0x7F:
		return 1, 1
	case c == 0x1B:
		return style(s), 0
	case c < 0x80:
		return 0, 0
	}
	r, n := utf8.DecodeRuneInString(s)
	if !single(r) {
		return 0, 0
	}
	return n, 1
}

// style returns the length of the sequence at the start of s if it sets colors and the like, or
// else 0.
func style(s string) int {
	if len(s) < 2 || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case (c < '0' || c > '9') && c != ';' && c != ':':
			return 0
		}
	}
	return 0
}

// single reports whether a character outside ASCII always takes one cell: box-drawing characters,
// blocks, Braille, and the signs that the workbench uses. Characters that a terminal may draw as an
// emoji are left out.
func single(r rune) bool {
	switch {
	case r >= 0x2500 && r < 0x25AA, r > 0x25AB && r < 0x25B6, r > 0x25B6 && r < 0x25C0, r > 0x25C0 && r < 0x25D8:
		return true
	case r >= 0x2800 && r <= 0x28FF:
		return true
	}
	return strings.ContainsRune("…·×→←↑↓–—±µ≤≠≥′‹›", r)
}

// Truncate shortens a line to w cells, with a tail in place of what is left out. Styles after the
// cut are kept.
func Truncate(s string, w int, tail string) string {
	width, ok := simple(s)
	if !ok {
		return ansi.Truncate(s, w, tail)
	}
	if width <= w {
		return s
	}
	room := w - Width(tail)
	if room < 0 {
		return ""
	}
	return window(s, 0, room, tail)
}

// window returns the cells from..to of a simple line with a tail after them, and all styles.
func window(s string, from, to int, tail string) string {
	var b strings.Builder
	b.Grow(len(s) + len(tail))
	at, cut := 0, false
	for i := 0; i < len(s); {
		n, cells := step(s[i:])
		if cells > 0 && at >= to && !cut {
			b.WriteString(tail)
			cut = true
		}
		if cells == 0 || at >= from && at < to {
			b.WriteString(s[i : i+n])
		}
		at += cells
		i += n
	}
	return b.String()
}

// TruncateLeft leaves out the first x cells of a line but keeps their styles.
func TruncateLeft(s string, x int) string {
	width, ok := simple(s)
	if !ok {
		return ansi.TruncateLeft(s, x, "")
	}
	if x <= 0 {
		return s
	}
	return window(s, x, width, "")
}
