package tui

import "lathe/tui/cells"

// screen holds the rectangle of each part of the screen. A part that is not shown has an empty
// rectangle.
type screen struct {
	w, h int
	// title and status are single lines. notice is the line above the status line; it is shown
	// while values are marked.
	title, notice, status cells.Rect
	// dock is the area of a dialog that takes lines at the bottom instead of floating. It includes
	// the status line.
	dock cells.Rect
	// body is everything between the title and the notice. Dialogs float over it.
	body cells.Rect
	// at has the rectangle of each region, including its line of pane titles. A vertical line
	// separates neighbouring regions.
	at [regions]cells.Rect
	// tooSmall is true if the screen has room only for a message that says so.
	tooSmall bool
}

// mode is everything besides the size of the screen that the layout depends on.
type mode struct {
	focus  region
	zoom   bool // the focused region alone
	left   bool // the left region has something to show
	notice bool
	dock   int // lines that a dialog wants at the bottom, the status line included
}

// A screen smaller than minWidth × minHeight has no room for names and shapes. A screen narrower
// than foldRight shows either the list or the right region, because beside each other the list
// would lose its column of shapes. A screen narrower than foldLeft does the same with the left
// region. The region with the focus is the one that is shown.
const (
	minWidth  = 40
	minHeight = 8
	foldRight = 100
	foldLeft  = 130
)

// minBody is the number of lines that a dialog at the bottom leaves to the body.
const minBody = 3

// The right region gets two fifths of the width within these limits. A narrower one cannot show a
// name beside its shape, and a wider one would mostly be blank. The left region shows the modules
// and gets a fifth, because their names are short.
const (
	minRight = 40
	maxRight = 72
	minLeft  = 26
	maxLeft  = 40
)

// layout places everything on a screen of w × h cells.
func layout(w, h int, m mode) screen {
	s := screen{w: w, h: h}
	if w < minWidth || h < minHeight {
		s.tooSmall = true
		return s
	}
	s.title = cells.Rect{W: w, H: 1}
	s.status = cells.Rect{Y: h - 1, W: w, H: 1}
	dock := max(min(m.dock, h-2-minBody), 1)
	s.dock = cells.Rect{Y: h - dock, W: w, H: dock}
	bottom := s.dock.Y
	if m.notice {
		bottom--
		s.notice = cells.Rect{Y: bottom, W: w, H: 1}
	}
	s.body = cells.Rect{Y: 1, W: w, H: bottom - 1}
	s.divide(m)
	return s
}

// divide gives each region that is shown its part of the body.
func (s *screen) divide(m mode) {
	right := min(max(s.w*2/5, minRight), maxRight)
	left := min(max(s.w/5, minLeft), maxLeft)
	switch {
	case m.zoom || s.w < foldRight:
		s.at[m.focus] = s.body
	case s.w >= foldLeft && m.left:
		right = min(right, s.w*9/25)
		s.share(part{regionLeft, left}, part{regionCentre, s.w - left - right - 2}, part{regionRight, right})
	case m.focus == regionLeft:
		s.share(part{regionLeft, left}, part{regionCentre, s.w - left - 1})
	default:
		s.share(part{regionCentre, s.w - right - 1}, part{regionRight, right})
	}
}

// part is a region and its width.
type part struct {
	region region
	w      int
}

// share places regions side by side, with a line between two.
func (s *screen) share(parts ...part) {
	x := 0
	for _, p := range parts {
		s.at[p.region] = cells.Rect{X: x, Y: s.body.Y, W: p.w, H: s.body.H}
		x += p.w + 1
	}
}
