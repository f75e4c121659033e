package cells

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width is how many cells a line takes; sequences that style it take none.
//
// Nearly all that is drawn is ASCII and lines of boxes, of which each character takes
// a cell whatever stands beside it. Counting those needs no table of characters that
// combine, which took half the time of a picture.
func Width(s string) int {
	if w, ok := simple(s); ok {
		return w
	}
	return ansi.StringWidth(s)
}

// simple is the width of what consists of such characters and of styles alone.
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

// step is how many bytes the character or style has that s begins with, and how many
// cells it takes; no bytes if it is neither a style nor a character of one cell that
// combines with nothing.
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

// style is the length of the sequence that s begins with if it is one that sets
// colours and the like, else 0.
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

// single reports whether a character beyond ASCII takes one cell and combines with
// none but characters that are not single: lines of boxes, blocks, braille, and the
// signs that the workbench draws with. Those that could be emoji are left out.
func single(r rune) bool {
	switch {
	case r >= 0x2500 && r < 0x25AA, r > 0x25AB && r < 0x25B6, r > 0x25B6 && r < 0x25C0, r > 0x25C0 && r < 0x25D8:
		return true
	case r >= 0x2800 && r <= 0x28FF:
		return true
	}
	return strings.ContainsRune("…·×→←↑↓–—±µ≤≠≥′‹›", r)
}

// Truncate shortens a line to w cells, with a tail in the place of what is left out.
// Styles behind stay.
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

// window is the cells of a simple line from one on up to another, with a tail behind
// them, and all styles.
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

// TruncateLeft leaves out the first x cells of a line. Their styles stay.
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
