package tui

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"lathe/session/text"
	"lathe/tui/controls"
)

// textfield is a field for one line of text. It draws the text itself, so that pasted or prefilled
// text cannot send control characters to the terminal.
type textfield struct {
	input textinput.Model
	// raw is the original of a prefilled text, and shown is its printable form, which the field
	// contains. They differ if a name has characters that cannot be printed. raw counts as long as
	// the text begins with shown.
	raw, shown string
	// isProposal is true while the text is only a proposal, which the first typed character
	// replaces.
	isProposal bool
}

func newTextfield(raw string) *textfield {
	f := &textfield{input: controls.NewLine(), raw: raw, shown: text.CleanLine(raw)}
	f.input.SetValue(f.shown)
	f.input.CursorEnd()
	return f
}

// newProposal returns a field whose text behaves as if it were selected: typing replaces it, and a
// key that moves the cursor keeps it.
func newProposal(raw string) *textfield {
	f := newTextfield(raw)
	f.isProposal = raw != ""
	return f
}

// value returns the text. If it still begins with the prefilled text, that part is replaced by its
// original.
func (f *textfield) value() string {
	v := f.input.Value()
	if rest, ok := strings.CutPrefix(v, f.shown); ok {
		return f.raw + rest
	}
	return v
}

// text returns what the field shows.
func (f *textfield) text() string { return text.CleanLine(f.input.Value()) }

// isUntouched reports whether the text is still the prefilled one.
func (f *textfield) isUntouched() bool { return f.input.Value() == f.shown }

// typed handles a key or a paste, and reports whether the text has changed.
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

// replaces reports whether a key or a paste replaces selected text.
func replaces(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return msg.Content != ""
	case tea.KeyPressMsg:
		return msg.Text != "" || msg.Code == tea.KeyBackspace || msg.Code == tea.KeyDelete
	}
	return false
}

// view draws the text in w cells so that the cursor, at x, is visible.
func (f *textfield) view(w int) (s string, x int) { return controls.ViewLine(f.input, w) }
