package shell

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/cells"
)

// PlacePath is the place of a question for a file name.
const PlacePath actions.Place = "file-name"

// PathActions are the actions of a question for a file name.
func PathActions() []actions.Action {
	type it = *pathPrompt
	return actions.Of(LineRows(actions.New(ActionAccept, "take it", actions.Keys("enter"), it.accept), Shut[it]))
}

// pathPrompt asks for a file name.
type pathPrompt struct {
	hosting
	head string // what it is for
	OneLine
	h    int
	take func(path string) tea.Cmd
}

// NewPathPrompt asks for a file name and proposes one.
func NewPathPrompt(h Host, head, proposal string, take func(path string) tea.Cmd) *pathPrompt {
	return &pathPrompt{hosting: hosting{h}, head: head, OneLine: OneLine{Field: NewTextfield(proposal)}, take: take}
}

// Place implements Pane.
func (p *pathPrompt) Place() actions.Place { return PlacePath }

// Title implements Dialog.
func (p *pathPrompt) Title() string { return p.head }

// Box implements Dialog.
func (p *pathPrompt) Box(s Screen) cells.Rect { return s.Body.Centred(72, 3) }

// Said implements Pane.
func (p *pathPrompt) Said() string { return p.Title() + " " + p.Field.Text() }

// Sync implements Pane.
func (p *pathPrompt) Sync(w, h int) tea.Cmd {
	p.W, p.h = w, h
	return nil
}

func (p *pathPrompt) accept() tea.Cmd {
	p.host.Close(p)
	return p.take(p.Field.Value())
}

// View implements Pane.
func (p *pathPrompt) View(bool) []string {
	s, _ := p.Field.View(p.W)
	return cells.Block([]string{p.host.Styles().FieldFocus.On(s)}, p.W, p.h)
}
