package tui

import (
	"fmt"
	"lathe/tui/cells"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// View implements tea.Model: it puts together what the panes draw, and the
// dialogs over them. It changes nothing.
func (a *App) View() tea.View {
	s := a.screen()
	lines, cursor := a.draw(s)
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true
	v.WindowTitle = "lathe " + cells.Label(filepath.Base(a.ws.o.Path))
	v.Cursor = cursor
	return v
}

func (a *App) draw(s screen) ([]string, *tea.Cursor) {
	if s.tooSmall {
		return a.tooSmall(s), nil
	}
	lines := make([]string, s.h)
	lines[s.title.Y] = a.titleLine(s.title.W)
	for i, line := range a.body(s) {
		lines[s.body.Y+i] = line
	}
	if !s.notice.IsEmpty() {
		lines[s.notice.Y] = a.noticeLine(s.notice.W)
	}
	lines[s.status.Y] = a.statusLine(s.status.W)
	var cursor *tea.Cursor
	for _, d := range a.dialogs {
		cells.Overlay(lines, d.box(s), a.framed(d, s))
		cursor = nil
		if t, ok := d.(typist); ok {
			r := inner(d, s)
			x, y := t.cursor()
			cursor = tea.NewCursor(r.X+x, r.Y+y)
		}
	}
	return lines, cursor
}

// body joins the panes side by side.
func (a *App) body(s screen) []string {
	lines := make([]string, s.body.H)
	for _, p := range a.panes(s) {
		if p.at.IsEmpty() {
			continue
		}
		if p.at.X > 0 {
			for i := range lines {
				lines[i] += a.ws.styles.Frame.On(cells.Corners[cells.Up|cells.Down])
			}
		}
		for i, line := range p.view(a.focus == p.pane && a.dialogs.top() == nil) {
			lines[i] += line
		}
	}
	return lines
}

func (a *App) tooSmall(s screen) []string {
	return cells.Block([]string{
		fmt.Sprintf("%d×%d is too small;", s.w, s.h),
		fmt.Sprintf("%d×%d will do", minWidth, minHeight),
	}, s.w, s.h)
}

// framePad is what a frame takes on each side: its line and a blank.
const framePad = 2

// inner is where a dialog draws: its box without the frame. One as wide as the
// screen has no sides: reports are made for its full width.
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

// framed draws a dialog with its frame: the title above, the keys below.
func (a *App) framed(d dialog, s screen) []string {
	content := d.view(d == a.dialogs.top())
	if d.title() == "" {
		return content
	}
	r := d.box(s)
	title := a.ws.styles.Heading.On(cells.Cut(cells.Prose(d.title()), r.W-6))
	keys := a.hints(d, r.W-6)
	if r.W == s.w {
		return a.enclose(title, content, keys, frameParts{cells.Corners[cells.Left|cells.Right], cells.Corners[cells.Left|cells.Right], cells.Corners[cells.Left|cells.Right], cells.Corners[cells.Left|cells.Right], ""}, r.W)
	}
	return a.enclose(title, content, keys, frameParts{cells.Corners[cells.Down|cells.Right], cells.Corners[cells.Down|cells.Left], cells.Corners[cells.Up|cells.Right], cells.Corners[cells.Up|cells.Left], cells.Corners[cells.Up|cells.Down]}, r.W)
}

// frameParts are the corners of a frame and its sides, if it has any.
type frameParts struct{ topLeft, topRight, bottomLeft, bottomRight, side string }

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

// edge is the upper or lower line of a frame, w cells wide, with words in it.
func (a *App) edge(from, words, to string, w int) string {
	line := a.ws.styles.Frame
	n := ansi.StringWidth(words)
	if n == 0 {
		return line.On(from + cells.Rule(w-2) + to)
	}
	return line.On(from+cells.Rule(1)) + " " + words + " " + line.On(cells.Rule(w-n-5)+to)
}

// ruleOf is a horizontal line.
func ruleOf(w int) string { return strings.Repeat(cells.Corners[cells.Left|cells.Right], max(w, 0)) }

// hints are the keys of a dialog that mean something now, as many as fit. Those
// that move are left out: they are the same everywhere.
func (a *App) hints(d dialog, w int) string {
	var out string
	for _, b := range bindingsOf(d.place()) {
		if len(b.places) == len(movable) || d.refusal(b.action) != "" {
			continue
		}
		hint := a.ws.styles.Key.On(spell(b.keys[0])) + " " + b.help
		if out != "" {
			hint = "  " + hint
		}
		if ansi.StringWidth(out)+ansi.StringWidth(hint) > w {
			break
		}
		out += hint
	}
	return out
}
