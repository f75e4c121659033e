package shell

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/controls"
	"lathe/tui/paths"
)

// PlacePath is the place of a question for a file name.
const PlacePath actions.Place = "file-name"

// PathActions are the actions of a question for a file name.
func PathActions() []actions.Action {
	type it = *pathPrompt
	return actions.Of([]actions.Row[it]{
		actions.New(ActionAccept, "take it", actions.Keys("enter"), it.accept, it.emptyRefusal),
		actions.New(ActionComplete, "complete", actions.Keys("tab"), it.complete, it.textRefusal),
		actions.New(ActionNext, "list files", actions.Keys("down", "ctrl+n"), it.next, it.textRefusal),
		actions.Now(ActionPrev, "previous file", actions.Keys("up", "ctrl+p"), it.previous, it.listRefusal),
		actions.Now(ActionClose, "cancel", actions.Keys("esc"), it.cancel),
	})
}

// pathPrompt asks for a file name, or for another line of text.
type pathPrompt struct {
	hosting
	head string // what it is for
	OneLine
	h          int
	isText     bool     // no file is asked for, so none is offered
	isNeeded   bool     // an empty line is not accepted
	extensions []string // of the files that are offered first
	Offer      PathOffer
	take       func(path string) tea.Cmd
}

// NewPathPrompt asks for a file name and proposes one. Files with one of the extensions are offered
// before others.
func NewPathPrompt(h Host, head, proposal string, extensions []string, take func(path string) tea.Cmd) *pathPrompt {
	p := NewLinePrompt(h, head, proposal, func(path string) tea.Cmd { return take(paths.Expand(path)) })
	p.isText, p.extensions = false, extensions
	p.Field = NewProposal(proposal)
	return p
}

// NewFilePrompt is a path prompt that does not accept an empty name.
func NewFilePrompt(h Host, head, proposal string, extensions []string, take func(path string) tea.Cmd) *pathPrompt {
	p := NewPathPrompt(h, head, proposal, extensions, take)
	p.isNeeded = true
	return p
}

// NewLinePrompt asks for a line of text other than a file name.
func NewLinePrompt(h Host, head, proposal string, take func(line string) tea.Cmd) *pathPrompt {
	return &pathPrompt{hosting: hosting{h}, head: head, OneLine: OneLine{Field: NewTextfield(proposal)}, isText: true, take: take}
}

// Place implements Pane.
func (p *pathPrompt) Place() actions.Place { return PlacePath }

// Title implements Dialog.
func (p *pathPrompt) Title() string { return p.head }

// Box implements Dialog. The list opens below the line, which stays in its place.
func (p *pathPrompt) Box(s Screen) cells.Rect {
	r := s.Body.Centred(72, 3)
	if p.Offer.IsOpen() {
		from, to := p.Offer.Visible()
		r.H = min(r.H+to-from+1, s.Body.Y+s.Body.H-r.Y)
	}
	return r
}

// Said implements Pane.
func (p *pathPrompt) Said() string {
	said := p.Title() + " " + p.Field.Text()
	if e, ok := p.Offer.Selected(); ok {
		said += "\n" + e.Label()
	}
	return said
}

// Sync implements Pane.
func (p *pathPrompt) Sync(w, h int) tea.Cmd {
	p.W, p.h = w, h
	return nil
}

func (p *pathPrompt) emptyRefusal() string {
	return actions.Unless(!p.isNeeded || p.Field.Value() != "" || p.Offer.IsOpen(), "type a file name, or list files with the arrow key down")
}

// Typed implements Typist.
func (p *pathPrompt) Typed(k tea.KeyPressMsg) tea.Cmd { return p.edit(k) }

// Pasted implements Typist.
func (p *pathPrompt) Pasted(s string) tea.Cmd { return p.edit(tea.PasteMsg{Content: s}) }

func (p *pathPrompt) edit(msg tea.Msg) tea.Cmd {
	if !p.Field.Typed(msg) {
		return nil
	}
	return p.ask(false)
}

// ask searches for files that complete the line.
func (p *pathPrompt) ask(asked bool) tea.Cmd {
	if p.isText {
		return nil
	}
	return p.Offer.Ask(p.host.Tasks(), p.Field.Value(), p.extensions, asked, p.write)
}

// write writes a path into the line and offers what completes it.
func (p *pathPrompt) write(path string) tea.Cmd {
	p.Field = NewTextfield(path)
	return p.ask(false)
}

// accept takes the file that was selected in the list, or else the line.
func (p *pathPrompt) accept() tea.Cmd {
	if p.Offer.Picked {
		return p.Offer.Take(p.write)
	}
	p.Offer.Close()
	p.host.Close(p)
	return p.take(p.Field.Value())
}

// complete completes the line, and lists the files if there is nothing to complete.
func (p *pathPrompt) complete() tea.Cmd {
	if p.Offer.Awaits() || p.Offer.IsOpen() {
		return p.Offer.Complete(p.Field.Value(), p.write)
	}
	return p.ask(true)
}

// next lists the files, or selects the next one.
func (p *pathPrompt) next() tea.Cmd {
	if !p.Offer.IsOpen() {
		return p.ask(true)
	}
	p.Offer.Move(1)
	return nil
}

func (p *pathPrompt) previous() { p.Offer.Move(-1) }

func (p *pathPrompt) textRefusal() string {
	return actions.Unless(!p.isText, "no file is asked for")
}

func (p *pathPrompt) listRefusal() string {
	return actions.Unless(p.Offer.IsOpen(), "no files are listed")
}

// cancel closes the list, or else the prompt.
func (p *pathPrompt) cancel() {
	if p.Offer.IsOpen() {
		p.Offer.Close()
		return
	}
	p.Offer.Close()
	p.host.Close(p)
}

// View implements Pane.
func (p *pathPrompt) View(bool) []string {
	st := p.host.Styles()
	s, _ := p.Field.View(p.W)
	lines := []string{st.FieldFocus.On(s)}
	if p.Offer.IsOpen() {
		box := cells.Rect{W: p.W, H: p.h - 1}
		lines = append(lines, p.Offer.View(st, box, controls.Spell("tab")+" completes, "+p.Offer.Summary())...)
	}
	return cells.Block(lines, p.W, p.h)
}
