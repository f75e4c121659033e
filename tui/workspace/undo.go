package workspace

import (
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/shell"
)

// ErrNoPrune is the error if no step prunes.
var ErrNoPrune = errors.New("there is no step \"prune\"")

// UndoStep takes back the last step.
func UndoStep(ws *Workspace) tea.Cmd {
	what, marks := ws.Session.CanUndo(), ws.prunedTo()
	ws.Session.Undo()
	ws.Log.Say("took back " + what)
	if len(ws.Marks.Names) == 0 {
		ws.Marks.Names = marks // so that other marks can be added to those that were pruned to
	}
	return ws.ShowModel()
}

// prunedTo returns the outputs that the last change of the model was pruned to.
func (ws *Workspace) prunedTo() []string {
	for _, p := range slices.Backward(ws.Session.History()) {
		if !p.Changed {
			continue
		}
		for _, o := range p.Call.Options {
			if p.Call.Step == "prune" && o.Name == "output" {
				return slices.Clone(o.Values)
			}
		}
		break
	}
	return nil
}

// UndoRefusal says why nothing can be undone, or "".
func UndoRefusal(ws *Workspace) string {
	return actions.Unless(ws.Session.CanUndo() != "", "there is nothing to undo")
}

// RedoStep does again what was undone last.
func RedoStep(ws *Workspace) tea.Cmd {
	what := ws.Session.CanRedo()
	ws.Session.Redo()
	ws.Log.Say("did " + what + " again")
	return ws.ShowModel()
}

// RedoRefusal says why nothing can be done again, or "".
func RedoRefusal(ws *Workspace) string {
	return actions.Unless(ws.Session.CanRedo() != "", "there is nothing to redo")
}

// Copy puts text on the clipboard of the terminal, which may be on another machine. It also shows
// the text, for terminals that do not allow this.
func (ws *Workspace) Copy(text string) tea.Cmd {
	ws.Log.Say("copied: " + text)
	return tea.SetClipboard(text)
}

// MatchRefusal says why there is no match to go to, or "".
func (ws *Workspace) MatchRefusal() string {
	f := &ws.Found
	switch {
	case !f.IsOn():
		return fmt.Sprintf("there is no filter; %s starts one", ws.Keys.Key(shell.PlaceMain, ActionFind))
	case f.Err != nil:
		return f.why
	case !f.Known:
		return "still searching"
	}
	return actions.Unless(len(f.Rows)+f.Elsewhere() > 0, f.emptiness())
}
