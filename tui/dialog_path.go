package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/cells"
)

const placePath place = "file-name"

func pathActions() []actions.Action {
	type it = *pathPrompt
	return actions.Of(lineRows(actions.New(actionAccept, "take it", keys("enter"), it.accept), shut[it]))
}

// pathPrompt asks for a file name.
type pathPrompt struct {
	attached
	head string // what it is for
	oneLine
	h    int
	take func(path string) tea.Cmd
}

func (p *pathPrompt) place() place            { return placePath }
func (p *pathPrompt) title() string           { return p.head }
func (p *pathPrompt) box(s screen) cells.Rect { return s.body.Centred(72, 3) }
func (p *pathPrompt) said() string            { return p.title() + " " + p.field.text() }

func (p *pathPrompt) sync(w, h int) tea.Cmd {
	p.w, p.h = w, h
	return nil
}

func (p *pathPrompt) accept() tea.Cmd {
	p.ws.host.close(p)
	return p.take(p.field.value())
}

func (p *pathPrompt) view(bool) []string {
	s, _ := p.field.view(p.w)
	return cells.Block([]string{p.ws.styles.FieldFocus.On(s)}, p.w, p.h)
}
