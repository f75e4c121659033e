package tui

// rect is a part of the screen, in cells.
type rect struct{ x, y, w, h int }

func (r rect) isEmpty() bool { return r.w <= 0 || r.h <= 0 }

// screen tells where everything stands. What does not show is empty.
type screen struct {
	w, h int
	// title and status are lines; notice is the line above the status, there
	// while something is marked.
	title, notice, status  rect
	nodes, divider, detail rect
	// body is everything between title and notice, where dialogs float.
	body rect
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
	s.title = rect{0, 0, w, 1}
	s.status = rect{0, h - 1, w, 1}
	bottom := h - 1
	if m.notice {
		bottom--
		s.notice = rect{0, bottom, w, 1}
	}
	s.body = rect{0, 1, w, bottom - 1}
	switch {
	case w >= foldWidth:
		d := min(max(w*2/5, minDetail), maxDetail)
		s.nodes = rect{0, 1, w - d - 1, s.body.h}
		s.divider = rect{w - d - 1, 1, 1, s.body.h}
		s.detail = rect{w - d, 1, d, s.body.h}
	case m.detail:
		s.detail = s.body
	default:
		s.nodes = s.body
	}
	return s
}

// centred is a rectangle of at most w × h in the middle of r.
func (r rect) centred(w, h int) rect {
	w, h = min(w, r.w), min(h, r.h)
	return rect{r.x + (r.w-w)/2, r.y + (r.h-h)/2, w, h}
}
