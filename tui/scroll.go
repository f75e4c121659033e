package tui

import (
	"fmt"
	"slices"
)

// scroll is a position in text that is longer than the space it has.
type scroll struct{ n, height, top int }

// resize fits the position to n lines of which height show.
func (s *scroll) resize(n, height int) {
	s.n, s.height = n, height
	s.by(0)
}

func (s *scroll) by(lines int) { s.top = max(0, min(s.top+lines, s.n-s.height)) }

// visible is the range of lines that show.
func (s *scroll) visible() (from, to int) { return s.top, min(s.n, s.top+max(s.height, 0)) }

// act carries out a movement; false for anything else.
func (s *scroll) act(a action) bool {
	switch a {
	case actionDown:
		s.by(1)
	case actionUp:
		s.by(-1)
	case actionTop:
		s.by(-s.n)
	case actionBottom:
		s.by(s.n)
	case actionHalfDown:
		s.by(max(s.height/2, 1))
	case actionHalfUp:
		s.by(-max(s.height/2, 1))
	case actionPageDown:
		s.by(max(s.height-1, 1))
	case actionPageUp:
		s.by(-max(s.height-1, 1))
	default:
		return false
	}
	return true
}

// folded is text broken into lines of a width. Reports can be long, so it is
// broken anew only when text or width have changed.
type folded struct {
	text  []string
	w     int
	lines []string
}

func (f *folded) fold(text []string, w int) {
	if w == f.w && slices.Equal(text, f.text) {
		return
	}
	f.text, f.w, f.lines = text, w, nil
	for _, line := range text {
		f.lines = append(f.lines, wrapWords(line, w)...)
	}
}

// more tells how much there is besides what shows, "" where everything does.
func (s *scroll) more() string {
	if s.n <= s.height {
		return ""
	}
	_, to := s.visible()
	return fmt.Sprintf("%d–%d of %d", s.top+1, to, s.n)
}
