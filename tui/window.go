package tui

// window is the part of a long list that shows: n rows, height of them from top
// on, the cursor always among them. Its work does not depend on n.
type window struct {
	n, height   int
	top, cursor int
}

// moveTo puts the cursor on a row, or the nearest there is. A cursor that leaves
// the window takes it half a page along: over a slow line, one jump costs less
// than the many single lines it spares.
func (w *window) moveTo(row int) {
	w.cursor = max(0, min(row, w.n-1))
	switch {
	case w.cursor < w.top:
		w.top = min(w.cursor, w.top-w.height/2)
	case w.cursor >= w.top+w.height:
		w.top = max(w.cursor-w.height+1, w.top+w.height/2)
	}
	w.clamp()
}

// resize changes the number of rows that show and keeps the cursor among them.
func (w *window) resize(height int) {
	w.height = height
	w.moveTo(w.cursor)
}

// reset starts on another list of n rows.
func (w *window) reset(n, cursor int) {
	w.n, w.top = n, 0
	w.cursor = 0
	w.centre(cursor)
}

// centre puts the cursor on a row and the row in the middle.
func (w *window) centre(row int) {
	w.cursor = max(0, min(row, w.n-1))
	w.top = w.cursor - w.height/2
	w.clamp()
}

// scroll moves window and cursor together by a number of rows.
func (w *window) scroll(by int) {
	w.top += by
	w.clamp()
	w.cursor = max(0, min(w.cursor+by, w.n-1))
	w.clamp()
}

func (w *window) clamp() { w.top = max(0, min(w.top, w.n-w.height)) }

// visible is the range of rows that show.
func (w *window) visible() (from, to int) {
	return w.top, min(w.n, w.top+max(w.height, 0))
}

// act carries out a movement; false for anything else.
func (w *window) act(a action) bool {
	switch a {
	case actionDown:
		w.moveTo(w.cursor + 1)
	case actionUp:
		w.moveTo(w.cursor - 1)
	case actionTop:
		w.moveTo(0)
	case actionBottom:
		w.moveTo(w.n - 1)
	case actionHalfDown:
		w.scroll(max(w.height/2, 1))
	case actionHalfUp:
		w.scroll(-max(w.height/2, 1))
	case actionPageDown:
		w.scroll(max(w.height-1, 1))
	case actionPageUp:
		w.scroll(-max(w.height-1, 1))
	default:
		return false
	}
	return true
}
