package tui

import (
	"fmt"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/cells"
)

// View implements tea.Model. It changes no state.
func (a *App) View() tea.View {
	if a.pace.on {
		return a.pace.shown
	}
	return a.picture()
}

// picture combines what the panes draw, and the dialogs over them.
func (a *App) picture() tea.View {
	s := a.screen()
	lines, cursor := a.draw(s)
	content := strings.Join(lines, "\n")
	if a.ws.o.Settings.ASCII {
		content = cells.ASCII(content)
	}
	v := tea.NewView(content)
	v.AltScreen = a.ws.o.Settings.AltScreen
	v.WindowTitle = "lathe " + cells.Label(filepath.Base(a.ws.o.Path))
	v.Cursor = cursor
	if a.ws.o.Settings.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
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

// body joins the regions side by side.
func (a *App) body(s screen) []string {
	lines := make([]string, s.body.H)
	panes := a.panes(s)
	for r := range regions {
		at := s.at[r]
		if at.IsEmpty() {
			continue
		}
		if at.X > 0 {
			for i := range lines {
				lines[i] += a.ws.styles.Frame.On(cells.Corners[cells.Up|cells.Down])
			}
		}
		p := panes[a.shown[r]]
		part := p.view(a.at == a.shown[r] && a.dialogs.top() == nil)
		if p.at.Y > at.Y {
			part = append([]string{a.strip(r, at.W)}, part...)
		}
		for i, line := range part {
			lines[i] += line
		}
	}
	return lines
}

// strip draws the titles of the panes of a region, with the visible pane highlighted.
func (a *App) strip(r region, w int) string {
	st := a.ws.styles
	var out string
	for _, i := range a.sharing(r) {
		title, looks := fmt.Sprintf(" %d %s ", i+1, a.members[i].title), st.Faint
		switch {
		case i == a.at:
			looks = st.Selected
		case i == a.shown[r]:
			looks = st.Idle
		}
		out += looks.On(title)
	}
	return cells.Fit(out, w)
}

func (a *App) tooSmall(s screen) []string {
	return cells.Block([]string{
		fmt.Sprintf("%d×%d is too small;", s.w, s.h),
		fmt.Sprintf("%d×%d will do", minWidth, minHeight),
	}, s.w, s.h)
}
