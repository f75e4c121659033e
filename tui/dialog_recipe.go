package tui

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/cells"
)

// openRecipePath asks for the file of the recipe.
func (a *App) openRecipePath() tea.Cmd {
	path := a.ws.o.Recipe
	if path == "" {
		base := filepath.Base(a.ws.o.Path)
		path = strings.TrimSuffix(base, filepath.Ext(base)) + ".yaml"
	}
	a.dialogs.open(&pathPrompt{inApp: inApp{a}, head: "save the recipe as", oneLine: oneLine{field: newTextfield(path)}, take: func(path string) tea.Cmd {
		if path == "" {
			return nil
		}
		return a.ws.saveRecipe(path, false)
	}})
	return nil
}

// saveRecipe writes the steps so far as a recipe. Paths in it are relative to the recipe.
func (ws *workspace) saveRecipe(path string, overwrite bool) tea.Cmd {
	recipe, model, ctx := ws.session.Recipe(), ws.model(), ws.ctx
	options := ws.pathOptions()
	return guarded("saving the recipe", func() tea.Msg {
		m := writeRecipe(ctx, path, overwrite, recipe.Relative(filepath.Dir(path), func(step, name string) (session.Option, bool) {
			o, ok := options[step+" "+name]
			return o, ok
		}))
		m.model = model
		return m
	})
}

func writeRecipe(ctx context.Context, path string, overwrite bool, recipe session.Recipe) recipeSavedMsg {
	m := recipeSavedMsg{path: path}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) && !overwrite {
		m.exists = true
		return m
	}
	m.err = graphops.WriteFile(ctx, path, graphops.WriteOptions{Overwrite: overwrite}, func(w io.Writer) error {
		_, err := recipe.WriteTo(w)
		return err
	})
	return m
}

// pathOptions returns all options whose values are file names. The keys have the form "STEP
// OPTION".
func (ws *workspace) pathOptions() map[string]session.Option {
	out := map[string]session.Option{}
	for _, s := range ws.o.Steps() {
		for _, o := range s.Options() {
			if o.IsPath() {
				out[s.Name()+" "+o.Name] = o
			}
		}
	}
	return out
}

// take implements answer. It says that a recipe was written, or asks whether it may replace a file.
func (m recipeSavedMsg) take(a *App) tea.Cmd {
	switch {
	case m.exists:
		a.dialogs.open(newConfirmDialog(a, "replace", cells.SafeLines(m.path+" exists already."), func() tea.Cmd {
			return a.ws.saveRecipe(m.path, true)
		}))
	case m.err != nil:
		a.ws.log.fail(m.err)
	default:
		a.ws.inRecipe = m.model
		a.ws.log.say("saved the recipe as " + m.path)
	}
	return nil
}
