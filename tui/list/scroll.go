package list

import (
	"fmt"
	"slices"
	"strings"

	"lathe/tui/cells"
)

// Scroll is the position in a text of N lines. Height lines are visible, beginning with line Top.
type Scroll struct{ N, Height, Top int }

// Resize adapts the position to a text of n lines and a visible part of height lines.
func (s *Scroll) Resize(n, height int) {
	s.N, s.Height = n, height
	s.By(0)
}

// By moves by a number of lines.
func (s *Scroll) By(lines int) { s.Top = max(0, min(s.Top+lines, s.N-s.Height)) }

// Visible returns the range of lines in view.
func (s *Scroll) Visible() (from, to int) { return s.Top, min(s.N, s.Top+max(s.Height, 0)) }

// Act performs a motion; it returns false for anything else.
func (s *Scroll) Act(m Motion) bool {
	switch m {
	case Down:
		s.By(1)
	case Up:
		s.By(-1)
	case Top:
		s.By(-s.N)
	case Bottom:
		s.By(s.N)
	case HalfDown:
		s.By(max(s.Height/2, 1))
	case HalfUp:
		s.By(-max(s.Height/2, 1))
	case PageDown:
		s.By(max(s.Height-1, 1))
	case PageUp:
		s.By(-max(s.Height-1, 1))
	default:
		return false
	}
	return true
}

// More says which lines are visible, as in "1–20 of 35". It is "" if all are.
func (s *Scroll) More() string {
	if s.N <= s.Height {
		return ""
	}
	_, to := s.Visible()
	return fmt.Sprintf("%d–%d of %d", s.Top+1, to, s.N)
}

// Folded is text broken into lines of a width. Reports can be long, so the text is broken again
// only if it or the width has changed.
type Folded struct {
	Lines []string
	Of    []int // for each line, the index of the line of the text that it is a part of
	text  []string
	w     int
}

// Fold breaks text between words. Continuation lines are indented to where the line, or its last
// column, begins.
func (f *Folded) Fold(text []string, w int) {
	if w == f.w && slices.Equal(text, f.text) {
		return
	}
	f.text, f.w, f.Lines, f.Of = text, w, nil, nil
	for i, line := range text {
		f.Lines = append(f.Lines, hang(line, w)...)
		for len(f.Of) < len(f.Lines) {
			f.Of = append(f.Of, i)
		}
	}
}

// Whole returns the line of the text that a line is a part of.
func (f *Folded) Whole(line int) string { return f.text[f.Of[line]] }

// hang breaks a line. Continuation lines are indented to its last column, if that begins in the
// first three fifths of the width.
func hang(line string, w int) []string {
	if cells.Width(line) <= w {
		return []string{line}
	}
	head := cells.Truncate(line, w*3/5, "")
	indent := len(head) - len(strings.TrimLeft(head, " "))
	head = strings.TrimRight(head, " ") // a column that begins behind it is not its last
	if i := strings.LastIndex(head, "  "); i >= indent {
		indent = cells.Width(head[:i]) + len("  ")
	}
	start := cells.Drop(line, indent)
	out := cells.WrapWords(start, w-indent)
	for i := range out {
		before := cells.Blanks(indent)
		if i == 0 {
			before = cells.Truncate(line, indent, "")
		}
		out[i] = before + out[i]
	}
	return out
}
