package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/tui/cells"
	"lathe/tui/forms"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// writer is the step that writes a model as it is.
const writer = "export"

// WriteRefusal says why the model cannot be written now, or "".
func WriteRefusal(ws *workspace.Workspace) string { return ws.StepRefusal(writer) }

// Write asks for a file and writes the model as it is.
func Write(ws *workspace.Workspace) tea.Cmd { return WriteThen(ws, nil) }

// WriteAs writes the model as it is to a file. It asks first if the name has no extension, because it
// may not be meant as a name.
func WriteAs(ws *workspace.Workspace, path string) tea.Cmd {
	if filepath.Ext(path) == "" {
		ask(ws, path, nil)
		return nil
	}
	return writeTo(ws, path, nil)
}

// WriteThen asks for a file, writes the model and then calls then, unless it is nil.
func WriteThen(ws *workspace.Workspace, then func() tea.Cmd) tea.Cmd {
	proposal := forms.WritesTo(ws)
	look := func(context.Context) string { return forms.FreePath(proposal) }
	return workspace.Once(ws, "looking for a free file name", look, func(free string) tea.Cmd {
		ask(ws, free, then)
		return nil
	})
}

// ask asks for a file and writes the model to it.
func ask(ws *workspace.Workspace, proposal string, then func() tea.Cmd) {
	ws.Host.Open(shell.NewFilePrompt(ws.Host, "write the model to", proposal, session.ModelFiles, func(path string) tea.Cmd {
		return writeTo(ws, path, then)
	}))
}

// writeTo writes the model to a file. If the file exists, it asks before it replaces it.
func writeTo(ws *workspace.Workspace, path string, then func() tea.Cmd) tea.Cmd {
	look := func(context.Context) bool {
		_, err := os.Lstat(path)
		return !errors.Is(err, fs.ErrNotExist)
	}
	return workspace.Once(ws, "looking for "+path, look, func(exists bool) tea.Cmd {
		if !exists {
			return startWriting(ws, path, false, then)
		}
		ws.Host.Open(shell.NewConfirmDialog(ws.Host, "replace", cells.SafeLines(path+" exists already."), func() tea.Cmd {
			return startWriting(ws, path, true, then)
		}))
		return nil
	})
}

// startWriting runs the step that writes the model, as a job.
func startWriting(ws *workspace.Workspace, path string, replace bool, then func() tea.Cmd) tea.Cmd {
	if why := WriteRefusal(ws); why != "" {
		ws.Log.Say(why)
		return nil
	}
	step := ws.NewStep(writer)
	file, ok := session.WithRole(step, session.RoleModel)
	if !ok {
		ws.Log.Say(writer + " writes no model")
		return nil
	}
	err := file.Set(path)
	if force, ok := session.WithRole(step, session.RoleForce); ok && replace && err == nil {
		err = force.Set("true")
	}
	if err != nil {
		ws.Log.Fail(err)
		return nil
	}
	j := &workspace.Job{Name: step.Name(), Command: session.CommandOf(step, ws.Options.Path)}
	if then != nil {
		j.After = func(err error) tea.Cmd {
			if err != nil {
				return nil
			}
			return then()
		}
	}
	return ws.Start(step, j)
}
