package tui

import (
	"fmt"
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
	v.WindowTitle = "lathe " + label(filepath.Base(a.ws.o.Path))
	v.Cursor = cursor
	return v
}

func (a *App) draw(s screen) ([]string, *tea.Cursor) {
	if s.tooSmall {
		return a.tooSmall(s), nil
	}
	lines := make([]string, s.h)
	lines[s.title.y] = a.titleLine(s.title.w)
	for i, line := range a.body(s) {
		lines[s.body.y+i] = line
	}
	if !s.notice.isEmpty() {
		lines[s.notice.y] = a.noticeLine(s.notice.w)
	}
	lines[s.status.y] = a.statusLine(s.status.w)
	var cursor *tea.Cursor
	for _, d := range a.dialogs {
		overlay(lines, d.box(s), a.framed(d, s))
		cursor = nil
		if t, ok := d.(typist); ok {
			r := inner(d, s)
			x, y := t.cursor()
			cursor = tea.NewCursor(r.x+x, r.y+y)
		}
	}
	return lines, cursor
}

// body joins the panes side by side.
func (a *App) body(s screen) []string {
	lines := make([]string, s.body.h)
	for _, p := range a.panes(s) {
		if p.at.isEmpty() {
			continue
		}
		if p.at.x > 0 {
			for i := range lines {
				lines[i] += a.ws.styles.frame.on(corners[up|down])
			}
		}
		for i, line := range p.view(a.focus == p.pane && a.dialogs.top() == nil) {
			lines[i] += line
		}
	}
	return lines
}

func (a *App) tooSmall(s screen) []string {
	return block([]string{
		fmt.Sprintf("%d×%d is too small;", s.w, s.h),
		fmt.Sprintf("%d×%d will do", minWidth, minHeight),
	}, s.w, s.h)
}

// framePad is what a frame takes on each side: its line and a blank.
const framePad = 2

// inner is where a dialog draws: its box without the frame. One as wide as the
// screen has no sides: reports are made for its full width.
func inner(d dialog, s screen) rect {
	r := d.box(s)
	switch {
	case d.title() == "":
		return r
	case r.w == s.w:
		return rect{r.x, r.y + 1, r.w, max(r.h-2, 0)}
	default:
		return rect{r.x + framePad, r.y + 1, max(r.w-2*framePad, 0), max(r.h-2, 0)}
	}
}

// framed draws a dialog with its frame: the title above, the keys below.
func (a *App) framed(d dialog, s screen) []string {
	content := d.view(d == a.dialogs.top())
	if d.title() == "" {
		return content
	}
	r := d.box(s)
	title := a.ws.styles.heading.on(cut(prose(d.title()), r.w-6))
	keys := a.hints(d, r.w-6)
	if r.w == s.w {
		return a.enclose(title, content, keys, frameParts{corners[left|right], corners[left|right], corners[left|right], corners[left|right], ""}, r.w)
	}
	return a.enclose(title, content, keys, frameParts{corners[down|right], corners[down|left], corners[up|right], corners[up|left], corners[up|down]}, r.w)
}

// frameParts are the corners of a frame and its sides, if it has any.
type frameParts struct{ topLeft, topRight, bottomLeft, bottomRight, side string }

func (a *App) enclose(title string, content []string, keys string, f frameParts, w int) []string {
	line := a.ws.styles.frame
	out := append(make([]string, 0, len(content)+2), a.edge(f.topLeft, title, f.topRight, w))
	for _, c := range content {
		if f.side != "" {
			c = line.on(f.side) + " " + c + " " + line.on(f.side)
		}
		out = append(out, c)
	}
	return append(out, a.edge(f.bottomLeft, keys, f.bottomRight, w))
}

// edge is the upper or lower line of a frame, w cells wide, with words in it.
func (a *App) edge(from, words, to string, w int) string {
	line := a.ws.styles.frame
	n := ansi.StringWidth(words)
	if n == 0 {
		return line.on(from + ruleOf(w-2) + to)
	}
	return line.on(from+ruleOf(1)) + " " + words + " " + line.on(ruleOf(w-n-5)+to)
}

// ruleOf is a horizontal line.
func ruleOf(w int) string { return strings.Repeat(corners[left|right], max(w, 0)) }

// hints are the keys of a dialog that mean something now, as many as fit. Those
// that move are left out: they are the same everywhere.
func (a *App) hints(d dialog, w int) string {
	var out string
	for _, b := range bindingsOf(d.place()) {
		if len(b.places) == len(movable) || d.refusal(b.action) != "" {
			continue
		}
		hint := a.ws.styles.key.on(spell(b.keys[0])) + " " + b.help
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
