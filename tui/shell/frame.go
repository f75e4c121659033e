package shell

import (
	"lathe/tui/cells"
)

// FramePad is the width of a frame on each side: its line and a space.
const FramePad = 2

// Inner returns the area in which a dialog draws: its box without the frame. A dialog as wide as
// the screen has no sides, so that reports get the full width.
func Inner(d Dialog, s Screen) cells.Rect {
	r := d.Box(s)
	switch {
	case d.Title() == "":
		return r
	case r.W == s.W:
		return cells.Rect{X: r.X, Y: r.Y + 1, W: r.W, H: max(r.H-2, 0)}
	default:
		return cells.Rect{X: r.X + FramePad, Y: r.Y + 1, W: max(r.W-2*FramePad, 0), H: max(r.H-2, 0)}
	}
}

// Corners of frames.
var (
	level     = cells.Corners[cells.Left|cells.Right]
	OpenFrame = FrameParts{level, level, level, level, ""}
	FullFrame = FrameParts{
		cells.Corners[cells.Down|cells.Right], cells.Corners[cells.Down|cells.Left],
		cells.Corners[cells.Up|cells.Right], cells.Corners[cells.Up|cells.Left], cells.Corners[cells.Up|cells.Down],
	}
)

// FrameParts are the corners of a frame and its sides, if it has any.
type FrameParts struct{ TopLeft, TopRight, BottomLeft, BottomRight, Side string }
