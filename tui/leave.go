package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/session/text"
	"lathe/tui/comparison"
	"lathe/tui/resume"
	"lathe/tui/shell"
	"lathe/tui/values"
	"lathe/tui/workspace"
)

// interrupt cancels the running job, or else the work of a pane or dialog. If nothing is running,
// it quits.
func (a *App) interrupt() tea.Cmd {
	if a.ws.Jobs.Cancel() {
		return nil
	}
	for _, p := range slices.Backward(a.everyone()) {
		if w, ok := p.(shell.Worker); ok && w.Interrupted() {
			return nil
		}
	}
	return a.quit()
}

// quit ends the program, after asking for confirmation if something would be lost.
func (a *App) quit() tea.Cmd {
	why := losses(a.ws)
	if len(why) == 0 {
		return a.end()
	}
	if top := a.dialogs.Top(); top == nil || top.Place() != shell.PlaceConfirm {
		a.dialogs.Open(shell.NewConfirmDialog(a, "quit", why, a.end))
	}
	return nil
}

// end ends the program because the user has quit. The journal is then discarded, so that the next
// start offers nothing to recover.
func (a *App) end() tea.Cmd {
	resume.Keepers.In(a.ws).Ended = true
	return tea.Quit
}

// losses describes what is lost when the program ends.
func losses(ws *workspace.Workspace) []string {
	var out []string
	if j := ws.Jobs.Running(); j != nil && j.Name != values.StepName && j.Name != comparison.BesideName {
		out = append(out, fmt.Sprintf("%s is still running; it will be cancelled.", j.Name))
	}
	if n := len(ws.Marks.Names); n > 0 {
		out = append(out, fmt.Sprintf("%s not pruned to yet.", text.Plural(n, "mark")+isOrAre(n)))
	}
	if !isKept(ws) {
		out = append(out, "The model as it is now is in no file and no recipe.")
	}
	return out
}

// isKept reports whether the current model can be had again after the program ends: it is the
// opened model, it is in a file, or its steps are in a saved recipe.
func isKept(ws *workspace.Workspace) bool {
	m := ws.Model()
	return m == ws.Session.Original() || m == ws.InRecipe || ws.Session.FileOf(m) != ""
}

func isOrAre(n int) string {
	if n == 1 {
		return " is"
	}
	return " are"
}
