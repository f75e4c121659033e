package shell

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"lathe/session/text"
	"lathe/tui/controls"
)

// Textfield is a field for one line of text. It draws the text itself, so that pasted or prefilled
// text cannot send control characters to the terminal.
type Textfield struct {
	Input textinput.Model
	// raw is the original of a prefilled text, and shown is its printable form, which the field
	// contains. They differ if a name has characters that cannot be printed. raw counts as long as
	// the text begins with shown.
	raw, shown string
	// IsProposal is true while the text is only a proposal, which the first typed character
	// replaces.
	IsProposal bool
}

// NewTextfield returns a field that contains a text.
func NewTextfield(raw string) *Textfield {
	f := &Textfield{Input: controls.NewLine(), raw: raw, shown: text.CleanLine(raw)}
	f.Input.SetValue(f.shown)
	f.Input.CursorEnd()
	return f
}

// NewProposal returns a field whose text behaves as if it were selected: typing replaces it, and a
// key that moves the cursor keeps it.
func NewProposal(raw string) *Textfield {
	f := NewTextfield(raw)
	f.IsProposal = raw != ""
	return f
}

// Value returns the text. If it still begins with the prefilled text, that part is replaced by its
// original.
func (f *Textfield) Value() string {
	v := f.Input.Value()
	if rest, ok := strings.CutPrefix(v, f.shown); ok {
		return f.raw + rest
	}
	return v
}

// Text returns what the field shows.
func (f *Textfield) Text() string { return text.CleanLine(f.Input.Value()) }

// IsUntouched reports whether the text is still the prefilled one.
func (f *Textfield) IsUntouched() bool { return f.Input.Value() == f.shown }

// Typed handles a key or a paste, and reports whether the text has changed.
func (f *Textfield) Typed(msg tea.Msg) (changed bool) {
	before := f.Input.Value()
	replaced := f.IsProposal && replaces(msg)
	if f.IsProposal = false; replaced {
		f.Input.SetValue("")
	}
	if k, ok := msg.(tea.KeyPressMsg); !ok || !replaced || k.Text != "" {
		f.Input, _ = f.Input.Update(msg)
	}
	return f.Input.Value() != before
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

// View draws the text in w cells so that the cursor, at x, is visible.
func (f *Textfield) View(w int) (s string, x int) { return controls.ViewLine(f.Input, w) }
