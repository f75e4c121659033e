package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/files"
	"lathe/tui/resume"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// interrupt cancels the running job, or else the work of a pane or dialog, or else closes the dialog
// on top. With none of them, it quits.
func (a *App) interrupt() tea.Cmd {
	if a.ws.Jobs.Cancel() {
		return nil
	}
	for _, p := range slices.Backward(a.everyone()) {
		if w, ok := p.(shell.Worker); ok && w.Interrupted() {
			return nil
		}
	}
	top := a.dialogs.Top()
	if top == nil {
		return a.quit()
	}
	if d, ok := top.(shell.Drafted); ok {
		d.Discard()
		return nil
	}
	return a.Perform(top, shell.ActionClose)
}

// quit ends the program, after asking for confirmation if something would be lost.
func (a *App) quit() tea.Cmd { return quit(a.ws) }

func quit(ws *workspace.Workspace) tea.Cmd {
	what := "quit"
	if ws.Options.Within != "" {
		what = "back to the list of models"
	}
	return files.Leave(ws, what, func() tea.Cmd { return end(ws) })
}

// end ends the program because the user has quit. The journal is then discarded, so that the next
// start offers nothing to recover.
func (a *App) end() tea.Cmd { return end(a.ws) }

func end(ws *workspace.Workspace) tea.Cmd {
	resume.Keepers.In(ws).Ended = true
	return tea.Quit
}

// openModel asks for another model, and opens it in place of this one.
func (a *App) openModel() tea.Cmd { return files.Open(a.end)(a.ws) }

func (a *App) openFile(path string) tea.Cmd { return files.OpenFile(a.end)(a.ws, path) }

func (a *App) writeAndQuit() tea.Cmd { return files.WriteThen(a.ws, a.end) }

func (a *App) writeRefusal() string { return files.WriteRefusal(a.ws) }
