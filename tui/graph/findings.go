package graph

import (
	"fmt"
	"strings"

	"lathe/tui/cells"
	"lathe/tui/list"
	"lathe/tui/theme"
)

// Finding is a message about a row of the model, such as an error or an axis whose size is fixed.
// Its texts have no control characters. A finding without a row is just a line of text.
type Finding struct {
	Spot  Spot   // zero for a line of text
	Where string // operator and name of the row
	Text  string
	Note  string // what can be done about it, or ""
	Also  string // other places with the same finding, or ""
	code  string // code of a problem
	Looks theme.Looks
}

// FindingList is a list of findings. It shows one line for each, and below the list the whole
// finding at the cursor.
type FindingList struct {
	List []Finding
	Rows list.Window
	W, h int
}

// FindingFoot is the number of lines below the list, including the rule above them.
const FindingFoot = 8

// Leads reports whether the finding has a row.
func (f *Finding) Leads() bool { return f != nil && f.Spot.Place != nil }

// Line returns the finding in a line of w cells. A long name gets half of them, at least
// cells.LeastName, or what the text leaves.
func (f *Finding) Line(w int) string {
	if f.Where == "" {
		return cells.Fit(f.Text, w)
	}
	room := max(w/2, cells.LeastName, w-2-cells.Width(f.Text))
	return cells.Fit(cells.CutMiddle(f.Where, room)+"  "+f.Text, w)
}

// Set shows other findings.
func (l *FindingList) Set(f []Finding) {
	l.List = f
	l.Rows.Reset(len(f), l.Rows.Cursor)
}

// Resize sets the size in cells.
func (l *FindingList) Resize(w, h int) {
	l.W, l.h = w, max(h, 0)
	l.Rows.Resize(max(l.h-l.foot(), 1))
}

// foot is the number of lines below the list. In a low dialog it is less.
func (l *FindingList) foot() int { return min(FindingFoot, l.h/2) }

// At returns the finding at the cursor, or nil.
func (l *FindingList) At() *Finding {
	if l.Rows.Cursor >= len(l.List) {
		return nil
	}
	return &l.List[l.Rows.Cursor]
}

// Spots returns the rows of all findings.
func (l *FindingList) Spots() []Spot { return SpotsOf(l.List) }

// View draws the list, and below it the finding at the cursor.
func (l *FindingList) View(st theme.Styles) []string {
	var lines []string
	for i, to := l.Rows.Visible(); i < to; i++ {
		f := &l.List[i]
		line := f.Line(l.W)
		looks := st.Of(f.Looks)
		if i == l.Rows.Cursor {
			looks = st.Selected
		}
		lines = append(lines, looks.On(line))
	}
	lines = cells.Block(lines, l.W, max(l.h-l.foot(), 1))
	if f := l.At(); f != nil && l.foot() > 0 {
		lines = append(lines, st.Frame.On(cells.Rule(l.W)))
		lines = append(lines, f.Explained(l.W, l.foot()-1)...)
	}
	return cells.Block(lines, l.W, l.h)
}

// Explained returns the whole finding in at most n lines of w cells: where it is, its text, and what can
// be done about it.
func (f *Finding) Explained(w, n int) []string {
	var lines []string
	head := f.Where
	if f.code != "" {
		head += " (" + f.code + ")"
	}
	for _, words := range Present([]string{head, f.Text, f.Note, f.Also}) {
		lines = append(lines, cells.WrapWords(words, w)...)
	}
	if n > 0 && len(lines) > n {
		lines = append(lines[:n-1], cells.Cut(lines[n-1]+" "+cells.Ellipsis, w))
	}
	return lines
}

// Said returns the finding at the cursor in words.
func (l *FindingList) Said() string {
	f := l.At()
	if f == nil {
		return ""
	}
	return fmt.Sprintf("%s, %d of %d", strings.Join(Present([]string{f.Where, f.Text, f.Note, f.Also}), ", "), l.Rows.Cursor+1, len(l.List))
}

// PointAt moves the cursor to the finding in line y of the visible part. It reports whether the
// cursor was already there, which makes a second click open the finding.
func (l *FindingList) PointAt(y int) (again bool) {
	from, to := l.Rows.Visible()
	if y < 0 || from+y >= to {
		return false
	}
	again = l.Rows.Cursor == from+y
	l.Rows.MoveTo(from + y)
	return again
}

// NoNode says why it is not possible to go to a finding.
const NoNode = "this line is not about a node"
