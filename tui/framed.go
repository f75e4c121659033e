package tui

import (
	"lathe/tui/cells"
	"lathe/tui/shell"
)

// framed draws a dialog with its frame: the title at the top, the keys at the bottom.
func (a *App) framed(d shell.Dialog, s shell.Screen) []string {
	content := d.View(d == a.dialogs.Top())
	if d.Title() == "" {
		return content
	}
	r := d.Box(s)
	title := a.ws.Styles.Heading.On(cells.Cut(cells.Prose(d.Title()), r.W-6))
	keys := a.hints(d, r.W-6)
	if r.W == s.W {
		return a.enclose(title, content, keys, shell.OpenFrame, r.W)
	}
	return a.enclose(title, content, keys, shell.FullFrame, r.W)
}

func (a *App) enclose(title string, content []string, keys string, f shell.FrameParts, w int) []string {
	line := a.ws.Styles.Frame
	out := append(make([]string, 0, len(content)+2), a.edge(f.TopLeft, title, f.TopRight, w))
	for _, c := range content {
		if f.Side != "" {
			c = line.On(f.Side) + " " + c + " " + line.On(f.Side)
		}
		out = append(out, c)
	}
	return append(out, a.edge(f.BottomLeft, keys, f.BottomRight, w))
}

// edge draws the upper or lower line of a frame. If words is not empty, the line contains it.
func (a *App) edge(from, words, to string, w int) string {
	line := a.ws.Styles.Frame
	n := cells.Width(words)
	if n == 0 {
		return line.On(from + cells.Rule(w-2) + to)
	}
	return line.On(from+cells.Rule(1)) + " " + words + " " + line.On(cells.Rule(w-n-5)+to)
}

// hints lists the keys of a dialog or pane that can be used at the moment, as many as fit. It
// leaves out movements, which are the same everywhere.
func (a *App) hints(p shell.Pane, w int) string {
	var out string
	for _, act := range a.ws.Keys.Of(p.Place()) {
		if act.Name.IsMotion() || len(act.Keys) == 0 || act.Refusal(p) != "" {
			continue
		}
		hint := a.ws.Styles.Key.On(act.Key()) + " " + act.Help
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
