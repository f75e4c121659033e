package shell

import "lathe/tui/cells"

// Region is a part of the screen. It shows one of its panes at a time.
type Region int

// The regions, from left to right.
const (
	RegionLeft Region = iota
	RegionCentre
	RegionRight
	Regions // how many there are
)

// Screen holds the rectangle of each part of the screen. A part that is not shown has an empty
// rectangle.
type Screen struct {
	W, H int
	// title and status are single lines. notice is the line above the status line; it is shown
	// while values are marked.
	Title, Notice, Status cells.Rect
	// Dock is the area of a dialog that takes lines at the bottom instead of floating. It includes
	// the status line.
	Dock cells.Rect
	// Body is everything between the title and the notice. Dialogs float over it.
	Body cells.Rect
	// At has the rectangle of each region, including its line of pane titles. A vertical line
	// separates neighbouring regions.
	At [Regions]cells.Rect
	// TooSmall is true if the screen has room only for a message that says so.
	TooSmall bool
}

// Mode is everything besides the size of the screen that the layout depends on.
type Mode struct {
	Focus  Region
	Zoom   bool // the focused region alone
	Left   bool // the left region has something to show
	Notice bool
	Dock   int // lines that a dialog wants at the bottom, the status line included
}

// A screen smaller than minWidth × minHeight has no room for names and shapes. A screen narrower
// than foldRight shows either the list or the right region, because beside each other the list
// would lose its column of shapes. A screen narrower than foldLeft does the same with the left
// region. The region with the focus is the one that is shown.
const (
	MinWidth  = 40
	MinHeight = 8
	foldRight = 100
	foldLeft  = 130
)

// MinBody is the number of lines that a dialog at the bottom leaves to the body.
const MinBody = 3

// The right region gets two fifths of the width within these limits; of a screen wider than foldLeft
// it gets a fifth of what is beyond that. A narrower one cannot show a name beside its shape, and a
// wider one would mostly be blank, while names in the list are cut. The left region shows the modules
// and gets a fifth, because their names are short.
const (
	minRight  = 40
	wideRight = 52
	maxRight  = 72
	minLeft   = 26
	maxLeft   = 34
)

// Layout places everything on a screen of w × h cells.
func Layout(w, h int, m Mode) Screen {
	s := Screen{W: w, H: h}
	if w < MinWidth || h < MinHeight {
		s.TooSmall = true
		return s
	}
	s.Title = cells.Rect{W: w, H: 1}
	s.Status = cells.Rect{Y: h - 1, W: w, H: 1}
	dock := max(min(m.Dock, h-2-MinBody), 1)
	s.Dock = cells.Rect{Y: h - dock, W: w, H: dock}
	bottom := s.Dock.Y
	if m.Notice {
		bottom--
		s.Notice = cells.Rect{Y: bottom, W: w, H: 1}
	}
	s.Body = cells.Rect{Y: 1, W: w, H: bottom - 1}
	s.divide(m)
	return s
}

// divide gives each region that is shown its part of the body.
func (s *Screen) divide(m Mode) {
	right := min(max(s.W*2/5, minRight), wideRight+max(s.W-foldLeft, 0)/5, maxRight)
	left := min(max(s.W/5, minLeft), maxLeft)
	switch {
	case m.Zoom || s.W < foldRight:
		s.At[m.Focus] = s.Body
	case s.W >= foldLeft && m.Left:
		right = min(right, s.W*9/25)
		s.share(part{RegionLeft, left}, part{RegionCentre, s.W - left - right - 2}, part{RegionRight, right})
	case m.Focus == RegionLeft:
		s.share(part{RegionLeft, left}, part{RegionCentre, s.W - left - 1})
	default:
		s.share(part{RegionCentre, s.W - right - 1}, part{RegionRight, right})
	}
}

// part is a region and its width.
type part struct {
	region Region
	w      int
}

// share places regions side by side, with a line between two.
func (s *Screen) share(parts ...part) {
	x := 0
	for _, p := range parts {
		s.At[p.region] = cells.Rect{X: x, Y: s.Body.Y, W: p.w, H: s.Body.H}
		x += p.w + 1
	}
}
