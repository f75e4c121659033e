package shell

import (
	"strings"

	"lathe/tui/actions"
	"lathe/tui/cells"

	tea "charm.land/bubbletea/v2"
)

const (
	PlaceConfirm actions.Place = "question"

	ActionYes actions.Name = "yes"
)

// ConfirmActions are the actions of a question.
func ConfirmActions() []actions.Action {
	type it = *confirmDialog
	return actions.Of([]actions.Row[it]{
		actions.New(ActionYes, "yes", actions.Keys("y", "enter"), it.accept),
		actions.Now(ActionClose, "no", actions.Keys("esc", "n", "q"), Shut[it]),
	})
}

// confirmDialog asks before something that cannot be undone.
type confirmDialog struct {
	hosting
	what string // what is to be confirmed, such as "quit"
	why  []string
	yes  func() tea.Cmd
	w, h int
}

// NewConfirmDialog asks whether to do what, and calls yes after that answer. why has the reasons
// for the question.
func NewConfirmDialog(h Host, what string, why []string, yes func() tea.Cmd) *confirmDialog {
	return &confirmDialog{hosting: hosting{h}, what: what, why: why, yes: yes}
}

// Place implements Pane.
func (d *confirmDialog) Place() actions.Place { return PlaceConfirm }

// Title implements Dialog.
func (d *confirmDialog) Title() string { return d.what + "?" }

// Said implements Pane.
func (d *confirmDialog) Said() string { return d.Title() + " " + strings.Join(d.why, " ") }

// Box implements Dialog.
func (d *confirmDialog) Box(s Screen) cells.Rect { return s.Body.Centred(60, len(d.lines(56))+2) }

// Sync implements Pane.
func (d *confirmDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	return nil
}

func (d *confirmDialog) accept() tea.Cmd {
	d.host.Close(d)
	return d.yes()
}

func (d *confirmDialog) lines(w int) []string {
	var out []string
	for _, line := range d.why {
		out = append(out, cells.Wrap(line, w)...)
	}
	return out
}

// View implements Pane.
func (d *confirmDialog) View(bool) []string { return cells.Block(d.lines(d.w), d.w, d.h) }
