package tui

import "lathe/tui/cells"

// screen tells where everything stands. What does not show is empty.
type screen struct {
	w, h int
	// title and status are lines; notice is the line above the status, there
	// while something is marked.
	title, notice, status  cells.Rect
	nodes, divider, detail cells.Rect
	// body is everything between title and notice, where dialogs float.
	body cells.Rect
	// tooSmall tells that nothing but a notice fits.
	tooSmall bool
}

// mode is what the layout depends on besides the size.
type mode struct {
	detail bool // the detail has the focus
	notice bool
}

// Below minWidth × minHeight names and shapes have no room left. Below
// foldWidth the list would lose its column of shapes to the detail, so one of
// the two shows alone.
const (
	minWidth  = 40
	minHeight = 8
	foldWidth = 100
)

// The detail takes two fifths of the width within these bounds: less cannot
// hold a name beside its shape, more only adds blanks.
const (
	minDetail = 40
	maxDetail = 72
)

// layout places everything on a screen of w × h cells.
func layout(w, h int, m mode) screen {
	s := screen{w: w, h: h}
	if w < minWidth || h < minHeight {
		s.tooSmall = true
		return s
	}
	s.title = cells.Rect{X: 0, Y: 0, W: w, H: 1}
	s.status = cells.Rect{X: 0, Y: h - 1, W: w, H: 1}
	bottom := h - 1
	if m.notice {
		bottom--
		s.notice = cells.Rect{X: 0, Y: bottom, W: w, H: 1}
	}
	s.body = cells.Rect{X: 0, Y: 1, W: w, H: bottom - 1}
	switch {
	case w >= foldWidth:
		d := min(max(w*2/5, minDetail), maxDetail)
		s.nodes = cells.Rect{X: 0, Y: 1, W: w - d - 1, H: s.body.H}
		s.divider = cells.Rect{X: w - d - 1, Y: 1, W: 1, H: s.body.H}
		s.detail = cells.Rect{X: w - d, Y: 1, W: d, H: s.body.H}
	case m.detail:
		s.detail = s.body
	default:
		s.nodes = s.body
	}
	return s
}
