package tui

import (
	"strings"

	"lathe/tui/actions"
	"lathe/tui/cells"

	tea "charm.land/bubbletea/v2"
)

const (
	placeConfirm place = "question"

	actionYes action = "yes"
)

func confirmActions() []actions.Action {
	type it = *confirmDialog
	return actions.Of([]row[it]{
		actions.New(actionYes, "yes", keys("y"), it.accept),
		actions.Now(actionClose, "no", keys("esc", "n", "q"), shut[it]),
	})
}

// confirmDialog asks before something that cannot be undone.
type confirmDialog struct {
	attached
	what string // what is to be confirmed, such as "quit"
	why  []string
	yes  func() tea.Cmd
	w, h int
}

func newConfirmDialog(ws *workspace, what string, why []string, yes func() tea.Cmd) *confirmDialog {
	return &confirmDialog{attached: attached{ws}, what: what, why: why, yes: yes}
}

func (d *confirmDialog) place() place            { return placeConfirm }
func (d *confirmDialog) title() string           { return d.what + "?" }
func (d *confirmDialog) said() string            { return d.title() + " " + strings.Join(d.why, " ") }
func (d *confirmDialog) box(s screen) cells.Rect { return s.body.Centred(60, len(d.lines(56))+2) }

func (d *confirmDialog) sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	return nil
}

func (d *confirmDialog) accept() tea.Cmd {
	d.ws.host.close(d)
	return d.yes()
}

func (d *confirmDialog) lines(w int) []string {
	var out []string
	for _, line := range d.why {
		out = append(out, cells.Wrap(line, w)...)
	}
	return out
}

func (d *confirmDialog) view(bool) []string { return cells.Block(d.lines(d.w), d.w, d.h) }
