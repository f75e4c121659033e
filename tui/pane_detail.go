package tui

import (
	tea "charm.land/bubbletea/v2"
)

// detailPane tells everything about the selected row.
type detailPane struct {
	ws     *workspace
	w, h   int
	made   detailKey
	lines  []detailLine
	scroll scroll
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
	looks looks
}

func (p *detailPane) place() place            { return placeDetail }
func (p *detailPane) refusal(a action) string { return "" }

func (p *detailPane) do(a action) tea.Cmd {
	p.scroll.act(a)
	return nil
}

func (p *detailPane) sync(w, h int) {
	p.w, p.h = w, h
	key := detailKey{p.ws.outline, p.ws.wiring, p.ws.rows.cursor, w}
	if w > 0 && key != p.made {
		if key.row != p.made.row || key.outline != p.made.outline {
			p.scroll.top = 0
		}
		p.made, p.lines = key, p.ws.describe(key.row, w-2)
	}
	p.scroll.resize(len(p.lines), h)
}

func (p *detailPane) view(focused bool) []string {
	st := p.ws.styles
	from, to := p.scroll.visible()
	out := make([]string, 0, p.h)
	for i, line := range p.lines[from:to] {
		lead := " "
		if focused && i == 0 {
			lead = st.key.on("›")
		}
		out = append(out, lead+st.of(line.looks).on(cut(line.text, p.w-2)))
	}
	if more := p.scroll.more(); more != "" && len(out) > 0 {
		out[len(out)-1] = blanks(p.w-len(more)-1) + st.faint.on(more)
	}
	return block(out, p.w, p.h)
}
