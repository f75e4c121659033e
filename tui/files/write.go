package files

import (
	"context"
	"errors"
	"fmt"
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
		return ask(ws, path, nil)
	}
	return writeTo(ws, path, nil)
}

// WriteThen asks for a file, writes the model and then calls then, unless it is nil.
func WriteThen(ws *workspace.Workspace, then func() tea.Cmd) tea.Cmd {
	proposal := forms.WritesTo(ws)
	look := func(context.Context) string { return forms.FreePath(proposal) }
	return workspace.Once(ws, "looking for a free file name", look, func(free string) tea.Cmd { return ask(ws, free, then) })
}

// ask asks for a file and writes the model to it. If the working folder is not that of the model, it
// names the working folder, because a name without a folder is in it.
func ask(ws *workspace.Workspace, proposal string, then func() tea.Cmd) tea.Cmd {
	look := func(context.Context) string { return elsewhere(ws.Options.Path) }
	return workspace.Once(ws, "looking for the working folder", look, func(folder string) tea.Cmd {
		head := "write the model to"
		if folder != "" {
			head = "write the model to a file in " + cells.Prose(folder)
		}
		ws.Host.Open(shell.NewFilePrompt(ws.Host, head, proposal, session.ModelFiles, func(path string) tea.Cmd {
			return writeTo(ws, path, then)
		}))
		return nil
	})
}

// elsewhere returns the working folder if a model is in another one, or else "".
func elsewhere(model string) string {
	working, err := os.Getwd()
	if err != nil {
		return ""
	}
	if path, err := filepath.Abs(model); err != nil || filepath.Dir(path) == working {
		return ""
	}
	return working
}

// target is what is known of a file to which a model is to be written.
type target struct {
	path     string
	folder   string // the working folder, if path is in it and the model is in another one
	exists   bool
	isSource bool // it is the file that the model is read from
}

// lookAt looks at the file that a person named.
func lookAt(path, source string) target {
	t := target{path: path}
	if !filepath.IsAbs(path) {
		t.folder = elsewhere(source)
	}
	info, err := os.Stat(path)
	if t.exists = err == nil; !t.exists {
		_, err := os.Lstat(path)
		t.exists = !errors.Is(err, fs.ErrNotExist)
		return t
	}
	t.isSource = forms.IsFile(source, info)
	return t
}

// writeTo writes the model to a file. If the file exists, it asks before it replaces it. If it is the
// file that the model is read from, it asks for another one.
func writeTo(ws *workspace.Workspace, path string, then func() tea.Cmd) tea.Cmd {
	look := func(context.Context) target { return lookAt(path, ws.Options.Path) }
	return workspace.Once(ws, "looking for "+path, look, func(t target) tea.Cmd {
		switch {
		case t.isSource:
			ws.Log.Say(cells.Prose(path) + " is the file that the model is read from; choose another name")
			return ask(ws, path, then)
		case !t.exists:
			return startWriting(ws, t, then)
		}
		ws.Host.Open(shell.NewConfirmDialog(ws.Host, "replace", cells.SafeLines(t.path+" exists already."), func() tea.Cmd {
			return startWriting(ws, t, then)
		}))
		return nil
	})
}

// startWriting runs the step that writes the model, as a job.
func startWriting(ws *workspace.Workspace, t target, then func() tea.Cmd) tea.Cmd {
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
	err := file.Set(t.path)
	if force, ok := session.WithRole(step, session.RoleForce); ok && t.exists && err == nil {
		err = force.Set("true")
	}
	if err != nil {
		ws.Log.Fail(err)
		return nil
	}
	j := &workspace.Job{Name: step.Name(), Command: session.CommandOf(step, ws.Called())}
	j.After = func(err error) tea.Cmd {
		if err != nil {
			return nil
		}
		if t.folder != "" {
			ws.Log.Say(fmt.Sprintf("wrote %s in %s", cells.Prose(t.path), cells.Prose(t.folder)))
		}
		if then == nil {
			return nil
		}
		return then()
	}
	return ws.Start(step, j)
}
