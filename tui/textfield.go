package tui

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"lathe/session/text"
	"lathe/tui/controls"
)

// textfield edits one line of text. It draws itself, so that what was pasted or
// filled in never reaches the terminal raw.
type textfield struct {
	input textinput.Model
	// raw is what the text stands for as long as it begins with shown: a name need
	// not be printable, and the field can only hold what is.
	raw, shown string
	// isProposal tells that the text is only proposed, and goes with the first
	// character that is typed.
	isProposal bool
}

func newTextfield(raw string) *textfield {
	f := &textfield{input: controls.NewLine(), raw: raw, shown: text.CleanLine(raw)}
	f.input.SetValue(f.shown)
	f.input.CursorEnd()
	return f
}

// newProposal is a field with a text that stands as if it were selected: what is
// typed replaces it, and a key that moves the cursor keeps it.
func newProposal(raw string) *textfield {
	f := newTextfield(raw)
	f.isProposal = raw != ""
	return f
}

// value is the text, with the name that its beginning stands for.
func (f *textfield) value() string {
	v := f.input.Value()
	if rest, ok := strings.CutPrefix(v, f.shown); ok {
		return f.raw + rest
	}
	return v
}

// text is what the field shows.
func (f *textfield) text() string { return text.CleanLine(f.input.Value()) }

// isUntouched reports whether the text is what was filled in.
func (f *textfield) isUntouched() bool { return f.input.Value() == f.shown }

// typed takes a key or a paste; it reports whether the text has changed.
func (f *textfield) typed(msg tea.Msg) (changed bool) {
	before := f.input.Value()
	replaced := f.isProposal && replaces(msg)
	if f.isProposal = false; replaced {
		f.input.SetValue("")
	}
	if k, ok := msg.(tea.KeyPressMsg); !ok || !replaced || k.Text != "" {
		f.input, _ = f.input.Update(msg)
	}
	return f.input.Value() != before
}

// replaces reports whether a key or a paste takes the place of what is selected.
func replaces(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return msg.Content != ""
	case tea.KeyPressMsg:
		return msg.Text != "" || msg.Code == tea.KeyBackspace || msg.Code == tea.KeyDelete
	}
	return false
}

// view draws the text in w cells so that the cursor, at x, is among them.
func (f *textfield) view(w int) (s string, x int) { return controls.ViewLine(f.input, w) }
