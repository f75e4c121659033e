package files

import (
	"context"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

// ActionOpen is the action that opens another model.
const ActionOpen = "open-model"

// Next is the file that the program opens when this workbench has ended; "" if it ends too.
var Next workspace.Slot[string]

// Open asks for another model and opens it in place of this one.
func Open(end func() tea.Cmd) func(*workspace.Workspace) tea.Cmd {
	return func(ws *workspace.Workspace) tea.Cmd {
		ws.Host.Open(shell.NewFilePrompt(ws.Host, "open which model", "", session.ModelFiles, func(path string) tea.Cmd {
			return OpenFile(end)(ws, path)
		}))
		return nil
	}
}

// OpenFile opens the model in a file in place of this one. If it cannot be opened, nothing changes.
// If work would be lost, it asks first. end ends the workbench. The steps of a recipe are taken on this
// model.
func OpenFile(end func() tea.Cmd) func(ws *workspace.Workspace, path string) tea.Cmd {
	return func(ws *workspace.Workspace, path string) tea.Cmd {
		if slices.Contains(RecipeFiles, filepath.Ext(path)) {
			return ReplayFile(ws, path)
		}
		open := ws.Options.Env.Open
		return new(task.Task[struct{}]).Ask(ws.Tasks, task.Question[struct{}]{
			Doing: "opening " + path,
			Work: func(context.Context, task.Report) (struct{}, error) {
				_, err := open(path)
				return struct{}{}, err
			},
			Take: func(_ struct{}, err error) tea.Cmd {
				if err != nil {
					ws.Log.Fail(err)
					return nil
				}
				return Leave(ws, "leave this model", func() tea.Cmd {
					*Next.In(ws) = path
					return end()
				})
			},
		})
	}
}
