package tui

import (
	"lathe/tui/cells"
)

// framePad is the width of a frame on each side: its line and a space.
const framePad = 2

// inner returns the area in which a dialog draws: its box without the frame. A dialog as wide as
// the screen has no sides, so that reports get the full width.
func inner(d dialog, s screen) cells.Rect {
	r := d.box(s)
	switch {
	case d.title() == "":
		return r
	case r.W == s.w:
		return cells.Rect{X: r.X, Y: r.Y + 1, W: r.W, H: max(r.H-2, 0)}
	default:
		return cells.Rect{X: r.X + framePad, Y: r.Y + 1, W: max(r.W-2*framePad, 0), H: max(r.H-2, 0)}
	}
}

// Corners of frames.
var (
	level     = cells.Corners[cells.Left|cells.Right]
	openFrame = frameParts{level, level, level, level, ""}
	fullFrame = frameParts{
		cells.Corners[cells.Down|cells.Right], cells.Corners[cells.Down|cells.Left],
		cells.Corners[cells.Up|cells.Right], cells.Corners[cells.Up|cells.Left], cells.Corners[cells.Up|cells.Down],
	}
)

// frameParts are the corners of a frame and its sides, if it has any.
type frameParts struct{ topLeft, topRight, bottomLeft, bottomRight, side string }

// framed draws a dialog with its frame: the title at the top, the keys at the bottom.
func (a *App) framed(d dialog, s screen) []string {
	content := d.view(d == a.dialogs.top())
	if d.title() == "" {
		return content
	}
	r := d.box(s)
	title := a.ws.styles.Heading.On(cells.Cut(cells.Prose(d.title()), r.W-6))
	keys := a.hints(d, r.W-6)
	if r.W == s.w {
		return a.enclose(title, content, keys, openFrame, r.W)
	}
	return a.enclose(title, content, keys, fullFrame, r.W)
}

func (a *App) enclose(title string, content []string, keys string, f frameParts, w int) []string {
	line := a.ws.styles.Frame
	out := append(make([]string, 0, len(content)+2), a.edge(f.topLeft, title, f.topRight, w))
	for _, c := range content {
		if f.side != "" {
			c = line.On(f.side) + " " + c + " " + line.On(f.side)
		}
		out = append(out, c)
	}
	return append(out, a.edge(f.bottomLeft, keys, f.bottomRight, w))
}

// edge draws the upper or lower line of a frame. If words is not empty, the line contains it.
func (a *App) edge(from, words, to string, w int) string {
	line := a.ws.styles.Frame
	n := cells.Width(words)
	if n == 0 {
		return line.On(from + cells.Rule(w-2) + to)
	}
	return line.On(from+cells.Rule(1)) + " " + words + " " + line.On(cells.Rule(w-n-5)+to)
}

// hints lists the keys of a dialog or pane that can be used at the moment, as many as fit. It
// leaves out movements, which are the same everywhere.
func (a *App) hints(p pane, w int) string {
	var out string
	for _, act := range a.ws.keys.Of(p.place()) {
		if act.Name.IsMotion() || len(act.Keys) == 0 || act.Refusal(p) != "" {
			continue
		}
		hint := a.ws.styles.Key.On(act.Key()) + " " + act.Help
		if out != "" {
			hint = "  " + hint
		}
		if cells.Width(out)+cells.Width(hint) > w {
			break
		}
		out += hint
	}
	return out
}
