// Package list scrolls through content that is longer than the screen: rows with a cursor, and
// text. The time for this does not depend on the length of the content.
package list

// Motion is a movement in a list or a text.
type Motion string

// The motions of a cursor or a text.
const (
	Down     Motion = "down"
	Up       Motion = "up"
	Top      Motion = "top"
	Bottom   Motion = "bottom"
	HalfDown Motion = "half-page-down"
	HalfUp   Motion = "half-page-up"
	PageDown Motion = "page-down"
	PageUp   Motion = "page-up"
)

// Window is the visible part of a list of N rows. Height rows are visible, beginning with row Top.
// The Cursor is always visible.
type Window struct {
	N, Height   int
	Top, Cursor int
}

// MoveTo puts the cursor on a row, or on the nearest row that exists. If the cursor leaves the
// visible part, the list scrolls by five sixths of a page, because over a slow connection one jump
// takes less time than many single lines. The last fifth stays in view, so that the eye finds its
// place again.
func (w *Window) MoveTo(row int) {
	w.Cursor = max(0, min(row, w.N-1))
	switch {
	case w.Cursor < w.Top:
		w.Top = min(w.Cursor, w.Top-w.Height*5/6)
	case w.Cursor >= w.Top+w.Height:
		w.Top = max(w.Cursor-w.Height+1, w.Top+w.Height*5/6)
	}
	w.clamp()
}

// Resize changes the number of rows in view, and keeps the cursor in view.
func (w *Window) Resize(height int) {
	w.Height = height
	w.MoveTo(w.Cursor)
}

// Reset starts with another list of n rows.
func (w *Window) Reset(n, cursor int) {
	w.N, w.Top, w.Cursor = n, 0, 0
	w.Centre(cursor)
}

// Centre puts the cursor on a row, and the row in the middle.
func (w *Window) Centre(row int) {
	w.Cursor = max(0, min(row, w.N-1))
	w.Top = w.Cursor - w.Height/2
	w.clamp()
}

// GoTo puts the cursor on a row; if the row is outside the view, it is scrolled to the middle.
func (w *Window) GoTo(row int) {
	if from, to := w.Visible(); row < from || row >= to {
		w.Centre(row)
		return
	}
	w.MoveTo(row)
}

// Scroll moves window and cursor together by a number of rows.
func (w *Window) Scroll(by int) {
	w.Top += by
	w.clamp()
	w.Cursor = max(0, min(w.Cursor+by, w.N-1))
	w.clamp()
}

func (w *Window) clamp() { w.Top = max(0, min(w.Top, w.N-w.Height)) }

// Visible returns the range of rows in view.
func (w *Window) Visible() (from, to int) {
	return w.Top, min(w.N, w.Top+max(w.Height, 0))
}

// Act performs a motion; it returns false for anything else.
func (w *Window) Act(m Motion) bool {
	switch m {
	case Down:
		w.MoveTo(w.Cursor + 1)
	case Up:
		w.MoveTo(w.Cursor - 1)
	case Top:
		w.MoveTo(0)
	case Bottom:
		w.MoveTo(w.N - 1)
	case HalfDown:
		w.Scroll(max(w.Height/2, 1))
	case HalfUp:
		w.Scroll(-max(w.Height/2, 1))
	case PageDown:
		w.Scroll(max(w.Height-1, 1))
	case PageUp:
		w.Scroll(-max(w.Height-1, 1))
	default:
		return false
	}
	return true
}
