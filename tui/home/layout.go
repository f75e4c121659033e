package home

import "lathe/tui/cells"

// layout is the position of everything on the screen. Parts that are not shown are empty.
type layout struct {
	w, h                 int
	title, query, heads  cells.Rect
	rows                 [sectionCount]cells.Rect
	divider, detail, end cells.Rect
	tooSmall             bool
}

// On a smaller screen there is no room for names.
const (
	minWidth  = 30
	minHeight = 6
)

// The heights from which headings and a first line about the selected row are shown, and then a
// second line.
const (
	roomy    = 9
	spacious = 20
)

// layout computes the position of everything on the screen.
func (a *app) layout() layout {
	l := layout{w: a.w, h: a.h}
	if a.w < minWidth || a.h < minHeight {
		l.tooSmall = true
		return l
	}
	y, bottom := 0, a.h
	down := func(r *cells.Rect, n int) { *r, y = cells.Rect{Y: y, W: a.w, H: n}, y+n }
	up := func(r *cells.Rect, n int) { *r, bottom = cells.Rect{Y: bottom - n, W: a.w, H: n}, bottom-n }
	down(&l.title, 1)
	down(&l.query, 1)
	up(&l.end, 1)
	if a.h >= roomy {
		down(&l.heads, 1)
		up(&l.detail, detailLines(a.h))
	}
	if n := len(a.list); n > 0 {
		up(&l.rows[sessions], a.sessionLines(n, bottom-y-1))
		up(&l.divider, 1)
	}
	down(&l.rows[models], bottom-y)
	return l
}

// detailLines is how many lines the details of the selected row get on a screen of height h.
func detailLines(h int) int {
	if h >= spacious {
		return 2
	}
	return 1
}

// sessionLines is how many of the free lines n sessions get: a third, and the lines that the models
// do not need.
func (a *app) sessionLines(n, free int) int {
	spare := 0
	if a.isWalked {
		spare = free - max(len(a.files), 2)
	}
	return min(n, max(free/3, spare, 1))
}

// fit adapts the lists to the screen, and updates which files are visible.
func (a *app) fit() {
	l := a.layout()
	for i := range a.sections {
		a.sections[i].rows.Resize(max(l.rows[i].H, 1))
	}
	s := &a.sections[models]
	from, to := s.rows.Visible()
	visible := make([]int, 0, to-from)
	for row := from; row < to; row++ {
		item, _ := s.item(row)
		visible = append(visible, item)
	}
	a.queue.show(visible)
}
