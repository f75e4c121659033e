package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/session/text"
	"lathe/tui/cells"
)

const placeSearch place = "search"

var searchKeys = lineKeys("keep the matches", pickKeys...)

// searchPrompt is the line in which a filter is typed. The list follows every
// character.
type searchPrompt struct {
	app   *App
	field *textfield
	w     int
}

func newSearchPrompt(a *App) *searchPrompt {
	a.ws.found.origin = a.ws.here()
	return &searchPrompt{app: a, field: newTextfield("")}
}

func (p *searchPrompt) place() place            { return placeSearch }
func (p *searchPrompt) title() string           { return "" }
func (p *searchPrompt) box(s screen) cells.Rect { return s.status }
func (p *searchPrompt) refusal(action) string   { return "" }

func (p *searchPrompt) sync(w, _ int) tea.Cmd {
	p.w = w
	return nil
}

func (p *searchPrompt) said() string {
	ws := p.app.ws
	return "filter " + p.field.text() + ": " + ws.found.position(ws.row()) + ", " + ws.outline.name(ws.row())
}

func (p *searchPrompt) do(a action) tea.Cmd {
	ws := p.app.ws
	switch a {
	case actionAccept:
		p.app.dialogs.close(p)
		if ws.here() != ws.found.origin {
			ws.trail.leave(ws.found.origin)
		}
	case actionClose:
		p.app.dialogs.close(p)
		return tea.Batch(ws.visit(ws.found.origin), ws.find("", false))
	case actionNext, actionPrev:
		by := 1
		if a == actionPrev {
			by = -1
		}
		if ws.matchRefusal() == "" {
			return ws.nextMatch(by)
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
	count := cells.Cut(ws.found.position(ws.row()), p.w/2)
	s, _ := p.field.view(max(p.w-1-len(count)-1, 1))
	return []string{cells.Fit(ws.styles.Key.On("/")+s+" "+ws.styles.Faint.On(count), p.w)}
}

// subject is what was searched for, safe to print.
func (f *found) subject() string {
	if f.what != "" {
		return f.what
	}
	return fmt.Sprintf("%q", cells.Prose(f.query))
}

// position tells which match a row is, and of how many.
func (f *found) position(row int) string {
	switch {
	case !f.isOn():
		return ""
	case f.err != nil:
		return cells.Prose(f.err.Error())
	case !f.known:
		return "searching"
	}
	var out string
	switch i, ok := slices.BinarySearch(f.rows, int32(row)); {
	case len(f.rows) == 0:
		out = "no match"
	case ok:
		out = fmt.Sprintf("match %d of %d", i+1, len(f.rows))
	default:
		out = fmt.Sprintf("%d matches", len(f.rows))
	}
	if n := f.elsewhere(); n > 0 {
		out += ", " + text.Count(int64(n)) + " in other bodies"
	}
	return out
}
