package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/cells"
)

const placePath place = "file-name"

var pathKeys = lineKeys("take it")

// pathPrompt asks for a file name.
type pathPrompt struct {
	app  *App
	head string // what it is for
	oneLine
	h    int
	take func(path string) tea.Cmd
}

func (p *pathPrompt) place() place            { return placePath }
func (p *pathPrompt) title() string           { return p.head }
func (p *pathPrompt) box(s screen) cells.Rect { return s.body.Centred(72, 3) }
func (p *pathPrompt) refusal(a action) string { return "" }
func (p *pathPrompt) said() string            { return p.title() + " " + p.field.text() }

func (p *pathPrompt) sync(w, h int) tea.Cmd {
	p.w, p.h = w, h
	return nil
}

func (p *pathPrompt) do(a action) tea.Cmd {
	switch a {
	case actionClose:
		p.app.dialogs.close(p)
	case actionAccept:
		p.app.dialogs.close(p)
		return p.take(p.field.value())
	}
	return nil
}

func (p *pathPrompt) view(bool) []string {
	s, _ := p.field.view(p.w)
	return cells.Block([]string{p.app.ws.styles.FieldFocus.On(s)}, p.w, p.h)
}
