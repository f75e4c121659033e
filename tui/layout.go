package tui

import "lathe/tui/cells"

// screen tells where everything stands. What does not show is empty.
type screen struct {
	w, h int
	// title and status are lines; notice is the line above the status, there
	// while something is marked.
	title, notice, status cells.Rect
	// dock is where a dialog stands that the body ends above, the status line
	// included.
	dock cells.Rect
	// body is everything between title and notice, where dialogs float.
	body cells.Rect
	// at are the regions, strip included, with a line between two of them.
	at [regions]cells.Rect
	// tooSmall tells that nothing but a notice fits.
	tooSmall bool
}

// mode is what the layout depends on besides the size.
type mode struct {
	focus  region
	zoom   bool // the focused region alone
	left   bool // the left region has something to show
	notice bool
	dock   int // lines that a dialog wants at the bottom, the status line included
}

// Below minWidth × minHeight names and shapes have no room left. Below
// foldRight the list would lose its column of shapes to what stands right of
// it, below foldLeft to the modules; then the focus tells which shows.
const (
	minWidth  = 40
	minHeight = 8
	foldRight = 100
	foldLeft  = 130
)

// minBody is how many lines of the body a dialog at the bottom leaves.
const minBody = 3

// What stands right takes two fifths of the width within these bounds: less
// cannot hold a name beside its shape, more only adds blanks. Modules take a
// fifth: their names are short.
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

// divide gives every region that shows its part of the body.
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
