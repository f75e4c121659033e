package tui

import (
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/shell"
)

var errNoPrune = errors.New("there is no step \"prune\"")

func (ws *workspace) undoStep() tea.Cmd {
	what := ws.session.CanUndo()
	ws.session.Undo()
	ws.log.Say("took back " + what)
	return ws.showModel()
}

func (ws *workspace) undoRefusal() string {
	return actions.Unless(ws.session.CanUndo() != "", "there is nothing to undo")
}

func (ws *workspace) redoStep() tea.Cmd {
	what := ws.session.CanRedo()
	ws.session.Redo()
	ws.log.Say("did " + what + " again")
	return ws.showModel()
}

func (ws *workspace) redoRefusal() string {
	return actions.Unless(ws.session.CanRedo() != "", "there is nothing to redo")
}

// copy puts text on the clipboard of the terminal, which may be on another machine. It also shows
// the text, for terminals that do not allow this.
func (ws *workspace) copy(text string) tea.Cmd {
	ws.log.Say("copied: " + text)
	return tea.SetClipboard(text)
}

func (ws *workspace) matchRefusal() string {
	f := &ws.found
	switch {
	case !f.isOn():
		return fmt.Sprintf("there is no filter; %s starts one", ws.keys.Key(shell.PlaceMain, actionFind))
	case f.err != nil:
		return f.why
	case !f.known:
		return "still searching"
	}
	return actions.Unless(len(f.rows)+f.elsewhere() > 0, f.emptiness())
}
