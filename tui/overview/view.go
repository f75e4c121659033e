package overview

import (
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// View implements shell.Pane.
func (p *Pane) View(focused bool) []string {
	st := p.ws.Styles
	from, to := p.rows.Visible()
	out := make([]string, 0, p.h)
	for i := from; i < min(to, len(p.lines)); i++ {
		l := &p.lines[i]
		lead, looks := " ", st.Of(l.looks)
		body := l.text
		if focused && i == p.rows.Cursor && l.do != nil {
			if l.key != "" {
				body = cells.Fit(l.key, keyWidth) + body
			}
			out = append(out, st.Selected.On(cells.Fit(" "+body, p.w)))
			continue
		}
		if l.key != "" {
			lead += st.Key.On(cells.Fit(l.key, keyWidth))
			body = cells.Cut(body, p.w-2-keyWidth)
		}
		out = append(out, lead+looks.On(cells.Cut(body, p.w-2)))
	}
	return cells.Block(out, p.w, p.h)
}

// keyWidth is the width of the column of keys.
const keyWidth = 7

// maxBand is the maximum number of lines of the box over a narrow list.
const maxBand = 4

// Band returns the lines of the box that a narrow screen shows over the list until the first key:
// what the model is, and the keys that lead on. It returns nil while that is not known.
func Band(ws *workspace.Workspace, w int) []string {
	s := ws.Types.Summary
	if s == nil {
		return nil
	}
	st := ws.Styles
	lines := cells.WrapWords(Sentence(s), w)
	if len(lines) > maxBand-1 {
		lines = lines[:maxBand-1]
		lines[maxBand-2] = cells.Cut(lines[maxBand-2]+" …", w)
	}
	hint := ""
	add := func(k, what string) {
		if k == "" || cells.Width(hint)+len(k)+len(what)+3 > w {
			return
		}
		if hint != "" {
			hint += "  "
		}
		hint += st.Key.On(k) + st.Faint.On(" "+what)
	}
	add(ws.Keys.Key(shell.PlaceMain, workspace.LookAction(Place)), "more")
	if c := ws.Types.Checkup; c != nil && c.Summary() != "" {
		add(ws.Keys.Key(shell.PlaceMain, workspace.ActionProblems), c.Summary())
	}
	for _, n := range suggestions {
		if n.when(ws) {
			add(ws.Keys.Key(shell.PlaceMain, n.action), n.text)
		}
	}
	for i := range lines {
		lines[i] = cells.Fit(" "+lines[i], w+2)
	}
	return append(lines, cells.Fit(" "+hint, w+2))
}
