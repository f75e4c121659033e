package tui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/cells"
	"lathe/tui/shell"
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
	if a.ws.Options.Settings.ASCII {
		content = cells.ASCII(content)
	}
	v := tea.NewView(content)
	v.AltScreen = a.ws.Options.Settings.AltScreen
	v.WindowTitle = "lathe " + cells.Label(filepath.Base(a.ws.Options.Path))
	v.Cursor = cursor
	if a.ws.Options.Settings.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

func (a *App) draw(s shell.Screen) ([]string, *tea.Cursor) {
	if s.TooSmall {
		return a.tooSmall(s), nil
	}
	lines := make([]string, s.H)
	lines[s.Title.Y] = a.titleLine(s.Title.W)
	for i, line := range a.body(s) {
		lines[s.Body.Y+i] = line
	}
	if !s.Notice.IsEmpty() {
		lines[s.Notice.Y] = a.noticeLine(s.Notice.W)
	}
	lines[s.Status.Y] = a.statusLine(s.Status.W)
	if band := a.band(s); band != nil {
		cells.Overlay(lines, bandBox(s, len(band)), a.enclose("", band, "", shell.OpenFrame, s.W))
	}
	var cursor *tea.Cursor
	for _, d := range a.dialogs {
		cells.Overlay(lines, d.Box(s), a.framed(d, s))
		cursor = nil
		if t, ok := d.(shell.Typist); ok {
			r := shell.Inner(d, s)
			x, y := t.Cursor()
			cursor = tea.NewCursor(r.X+x, r.Y+y)
		}
	}
	return lines, cursor
}

// body joins the regions side by side.
func (a *App) body(s shell.Screen) []string {
	lines := make([]string, s.Body.H)
	panes := a.panes(s)
	for r := range shell.Regions {
		at := s.At[r]
		if at.IsEmpty() {
			continue
		}
		separator := ""
		if at.X > 0 {
			separator = cells.Corners[cells.Up|cells.Down]
		}
		p := panes[a.shown[r]]
		part := p.View(a.at == a.shown[r] && a.dialogs.Top() == nil)
		if p.at.Y > at.Y {
			part = append([]string{a.strip(r, at.W)}, part...)
		}
		for i := range lines {
			lines[i] += a.ws.Styles.Frame.Before(separator, part[i])
		}
	}
	return lines
}

// strip draws the titles of the panes of a region, with the visible pane highlighted.
func (a *App) strip(r shell.Region, w int) string {
	st := a.ws.Styles
	var out string
	panes, titles := a.titles(r, w)
	for k, i := range panes {
		title, looks := titles[k], st.Faint
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

// titles returns the panes that share a region, and their titles as they are drawn.
func (a *App) titles(r shell.Region, w int) (panes []int, drawn []string) {
	panes = a.sharing(r)
	list := make([]shell.PaneTitle, len(panes))
	for k, i := range panes {
		list[k] = shell.PaneTitle{Digit: i, Title: a.members[i].Title}
	}
	return panes, shell.Titles(list, slices.Index(panes, a.shown[r]), w)
}

func (a *App) tooSmall(s shell.Screen) []string {
	return cells.Block([]string{
		fmt.Sprintf("%d×%d is too small;", s.W, s.H),
		fmt.Sprintf("%d×%d will do", shell.MinWidth, shell.MinHeight),
	}, s.W, s.H)
}
