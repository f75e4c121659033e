package tui

import (
	"fmt"
	"lathe/tui/cells"
	"slices"

	tea "charm.land/bubbletea/v2"
)

// searchPrompt is the line in which a search is typed. The list follows every
// character.
type searchPrompt struct {
	app   *App
	field *textfield
	w     int
}

func newSearchPrompt(a *App) *searchPrompt {
	a.ws.search.origin = a.ws.rows.Cursor
	return &searchPrompt{app: a, field: newTextfield("")}
}

func (p *searchPrompt) place() place            { return placeSearch }
func (p *searchPrompt) title() string           { return "" }
func (p *searchPrompt) box(s screen) cells.Rect { return s.status }
func (p *searchPrompt) refusal(a action) string { return "" }
func (p *searchPrompt) sync(w, _ int)           { p.w = w }

func (p *searchPrompt) do(a action) tea.Cmd {
	ws := p.app.ws
	switch a {
	case actionAccept:
		p.app.dialogs.close(p)
		if at := ws.rows.Cursor; at != ws.search.origin {
			ws.trail.leave(ws.search.origin)
		}
	case actionClose:
		p.app.dialogs.close(p)
		ws.goTo(ws.search.origin)
		return ws.find("", false)
	case actionDown, actionUp:
		by := 1
		if a == actionUp {
			by = -1
		}
		if ws.searchRefusal() == "" {
			ws.nextMatch(by)
		}
	}
	return nil
}

func (p *searchPrompt) typed(k tea.KeyPressMsg) tea.Cmd { return p.edit(k) }

func (p *searchPrompt) pasted(s string) tea.Cmd { return p.edit(tea.PasteMsg{Content: s}) }

func (p *searchPrompt) edit(msg tea.Msg) tea.Cmd {
	if !p.field.typed(msg) {
		return nil
	}
	return p.app.ws.find(p.field.value(), true)
}

func (p *searchPrompt) cursor() (x, y int) {
	_, x = p.field.view(p.w - 1)
	return x + 1, 0
}

func (p *searchPrompt) view(bool) []string {
	ws := p.app.ws
	count := ws.search.position(ws.rows.Cursor)
	s, _ := p.field.view(max(p.w-1-len(count)-1, 1))
	return []string{cells.Fit(ws.styles.Key.On("/")+s+" "+ws.styles.Faint.On(count), p.w)}
}

// position tells which match a row is, and of how many.
func (s *search) position(row int) string {
	switch {
	case s.query == "":
		return ""
	case !s.known:
		return "searching"
	case len(s.rows) == 0:
		return "no match"
	}
	if i, ok := slices.BinarySearch(s.rows, int32(row)); ok {
		return fmt.Sprintf("match %d of %d", i+1, len(s.rows))
	}
	return fmt.Sprintf("%d matches", len(s.rows))
}
