package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/cells"
	"lathe/tui/list"
	"lathe/tui/theme"
)

const placeDetail place = "detail"

var detailPanel = panel{
	place: placeDetail, title: "detail", region: regionRight, keys: movable(),
	make: func(a *App) pane { return &detailPane{ws: a.ws} },
}

// detailPane tells everything about the selected row.
type detailPane struct {
	ws     *workspace
	w, h   int
	made   detailKey
	lines  []detailLine
	scroll list.Scroll
}

// detailKey is what the lines depend on: when it changes they are made anew.
type detailKey struct {
	outline *outline
	wiring  *wiring
	row, w  int
}

// detailLine is a line of the detail, safe to print.
type detailLine struct {
	text  string
	looks theme.Looks
}

func (p *detailPane) place() place          { return placeDetail }
func (p *detailPane) refusal(action) string { return "" }

func (p *detailPane) do(a action) tea.Cmd {
	p.scroll.Act(list.Motion(a))
	return nil
}

func (p *detailPane) sync(w, h int) tea.Cmd {
	p.w, p.h = w, h
	key := detailKey{p.ws.outline, p.ws.wiring, p.ws.row(), w}
	if w > 0 && key != p.made {
		if key.row != p.made.row || key.outline != p.made.outline {
			p.scroll.Top = 0
		}
		p.made, p.lines = key, p.ws.describe(key.row, w-2)
	}
	p.scroll.Resize(len(p.lines), h)
	return nil
}

func (p *detailPane) view(focused bool) []string {
	st := p.ws.styles
	from, to := p.scroll.Visible()
	out := make([]string, 0, p.h)
	for i, line := range p.lines[from:to] {
		lead := " "
		if focused && i == 0 {
			lead = st.Key.On("›")
		}
		out = append(out, lead+st.Of(line.looks).On(cells.Cut(line.text, p.w-2)))
	}
	if more := p.scroll.More(); more != "" && len(out) > 0 {
		out[len(out)-1] = cells.Blanks(p.w-len(more)-1) + st.Faint.On(more)
	}
	return cells.Block(out, p.w, p.h)
}

// said is the whole text.
func (p *detailPane) said() string {
	var b strings.Builder
	for _, line := range p.ws.describe(p.ws.row(), 100) {
		b.WriteString(line.text + "\n")
	}
	return strings.TrimSpace(b.String())
}

// clicked implements pointed: there is nothing to click on.
func (p *detailPane) clicked(_, _ int) tea.Cmd { return nil }

// wheeled implements pointed.
func (p *detailPane) wheeled(by int) { p.scroll.By(by) }
