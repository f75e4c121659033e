package tui

import (
	"strings"

	"lathe/tui/cells"

	tea "charm.land/bubbletea/v2"
)

const (
	placeConfirm place = "question"

	actionYes action = "yes"
)

var confirmKeys = []binding{
	{actionYes, "yes", keys("y")},
	{actionClose, "no", keys("esc", "n", "q")},
}

// confirmDialog asks before something that cannot be undone.
type confirmDialog struct {
	app  *App
	what string // what is to be confirmed, such as "quit"
	why  []string
	yes  func() tea.Cmd
	w, h int
}

func newConfirmDialog(a *App, what string, why []string, yes func() tea.Cmd) *confirmDialog {
	return &confirmDialog{app: a, what: what, why: why, yes: yes}
}

func (d *confirmDialog) place() place            { return placeConfirm }
func (d *confirmDialog) title() string           { return d.what + "?" }
func (d *confirmDialog) refusal(a action) string { return "" }
func (d *confirmDialog) said() string            { return d.title() + " " + strings.Join(d.why, " ") }
func (d *confirmDialog) box(s screen) cells.Rect { return s.body.Centred(60, len(d.lines(56))+2) }

func (d *confirmDialog) sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	return nil
}

func (d *confirmDialog) do(a action) tea.Cmd {
	d.app.dialogs.close(d)
	if a == actionYes {
		return d.yes()
	}
	return nil
}

func (d *confirmDialog) lines(w int) []string {
	var out []string
	for _, line := range d.why {
		out = append(out, cells.Wrap(line, w)...)
	}
	return out
}

func (d *confirmDialog) view(bool) []string { return cells.Block(d.lines(d.w), d.w, d.h) }
