package home

import (
	"strings"

	"lathe/tui/cells"
)

// Widths of the columns of sessions. The folder gets the rest.
const (
	doneWidth = 9
	agoWidth  = 14
	maxModel  = 40
	// showsAll is the screen width from which all columns are shown.
	showsAll = 60
)

// sessionRows draws the rows of sessions.
func (a *app) sessionRows(at cells.Rect) []string {
	s := &a.sections[sessions]
	if s.rows.N == 0 {
		return cells.Block([]string{a.styles.Faint.On("  none matches")}, at.W, at.H)
	}
	from, to := s.rows.Visible()
	lines := make([]string, 0, at.H)
	for row := from; row < min(to, from+at.H); row++ {
		item, letters := s.item(row)
		lines = append(lines, a.sessionLine(at.W, a.list[item], letters, row == s.rows.Cursor && a.focused() == sessions))
	}
	return cells.Block(lines, at.W, at.H)
}

func (a *app) sessionLine(w int, i interruptedSession, letters []int, isSelected bool) string {
	st := a.looks(isSelected)
	space := cells.Blanks(gap)
	middle := space + cells.Fit(i.ago(a.o.Now()), agoWidth)
	if w >= showsAll {
		middle = space + cells.FitRight(i.done(), doneWidth) + middle
	}
	width := max(min(max(a.widestModel, minName), maxModel, w-leadWidth-cells.Width(middle)), 1)
	ofName, ofFolder := split(letters, len([]rune(i.name())))
	line := st.lead + st.label(i.name(), ofName, width) + st.rest.On(middle)
	rest := w - leadWidth - width - cells.Width(middle)
	if w < showsAll {
		return line + st.rest.On(cells.Blanks(rest))
	}
	st.name = st.rest
	return line + st.rest.On(space) + st.label(i.where(), ofFolder, rest-gap)
}

// split distributes the positions of matching letters in "FIRST SECOND" over the two texts. n is
// the length of the first text.
func split(letters []int, n int) (first, second []int) {
	for _, at := range letters {
		if at < n {
			first = append(first, at)
		} else {
			second = append(second, at-n-1)
		}
	}
	return first, second
}

// words describes a session in one line.
func (i interruptedSession) words(ago string) string {
	out := []string{i.name() + " in " + i.where(), i.done(), ago}
	if more := i.more(showsAll); more != "" {
		out = append(out, more)
	}
	return strings.Join(out, ", ")
}
