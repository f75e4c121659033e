package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/trust"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/forms"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

// RecipeFiles are the extensions of recipes.
var RecipeFiles = []string{".yaml", ".yml"}

// SaveRecipe asks for a file and saves the steps so far as a recipe.
func SaveRecipe(ws *workspace.Workspace) tea.Cmd { return saveRecipeThen(ws, nil) }

// RecipeRefusal says why there is nothing to save as a recipe, or "".
func RecipeRefusal(ws *workspace.Workspace) string {
	return actions.Unless(len(ws.Session.Recipe().Steps) > 0, "there is no step yet that a recipe could contain")
}

// SaveRecipeAs saves the steps so far as a recipe in a file.
func SaveRecipeAs(ws *workspace.Workspace, path string) tea.Cmd {
	return saveRecipe(ws, path, false, nil)
}

// saveRecipeThen asks for a file, saves the recipe and then calls then, unless it is nil.
func saveRecipeThen(ws *workspace.Workspace, then func() tea.Cmd) tea.Cmd {
	path := ws.Options.Recipe
	if path == "" {
		base := filepath.Base(ws.Options.Path)
		path = strings.TrimSuffix(base, filepath.Ext(base)) + ".yaml"
	}
	ws.Host.Open(shell.NewFilePrompt(ws.Host, "save the recipe as", path, RecipeFiles, func(path string) tea.Cmd {
		return saveRecipe(ws, path, false, then)
	}))
	return nil
}

// saveRecipe writes the steps so far as a recipe. Paths in it are relative to the recipe.
func saveRecipe(ws *workspace.Workspace, path string, overwrite bool, then func() tea.Cmd) tea.Cmd {
	if filepath.Ext(path) == "" {
		path += RecipeFiles[0]
	}
	recipe, model, options := ws.Session.Recipe(), ws.Model(), pathOptions(ws)
	return new(task.Task[bool]).Ask(ws.Tasks, task.Question[bool]{
		Doing: "saving the recipe",
		Work: func(ctx context.Context, _ task.Report) (exists bool, err error) {
			return writeRecipe(ctx, path, overwrite, recipe.Relative(filepath.Dir(path), func(step, name string) (session.Option, bool) {
				o, ok := options[step+" "+name]
				return o, ok
			}), ws.Options.Recipes)
		},
		Take: func(exists bool, err error) tea.Cmd {
			switch {
			case exists:
				ws.Host.Open(shell.NewConfirmDialog(ws.Host, "replace", cells.SafeLines(path+" exists already."), func() tea.Cmd {
					return saveRecipe(ws, path, true, then)
				}))
			case err != nil:
				ws.Log.Fail(err)
			default:
				ws.InRecipe = model
				ws.Log.Say(fmt.Sprintf("saved the recipe as %s; lathe run %s runs it, %sreplay takes its steps here", cells.Prose(path), cells.Prose(path), ws.Keys.Key(shell.PlaceMain, workspace.ActionPalette)))
				if then != nil {
					return then()
				}
			}
			return nil
		},
	})
}

// writeRecipe writes a recipe, and records that, so that it runs without a question. It reports whether
// a file exists there that it did not replace.
func writeRecipe(ctx context.Context, path string, overwrite bool, recipe session.Recipe, records trust.Records) (exists bool, err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) && !overwrite {
		return true, nil
	}
	var content bytes.Buffer
	if _, err := recipe.WriteTo(&content); err != nil {
		return false, err
	}
	digest := session.DigestOf(content.Bytes())
	err = graphops.WriteFile(ctx, path, graphops.WriteOptions{Overwrite: overwrite}, func(w io.Writer) error {
		_, err := content.WriteTo(w)
		return err
	})
	if err == nil && records.Dir != "" {
		if err = records.Add(ctx, path, digest); err != nil {
			err = fmt.Errorf("%s is saved, but lathe run will ask before it runs it: %w", path, err)
		}
	}
	return false, err
}

// pathOptions returns all options whose values are file names. The keys have the form "STEP
// OPTION".
func pathOptions(ws *workspace.Workspace) map[string]session.Option {
	out := map[string]session.Option{}
	for _, s := range ws.Options.Steps() {
		for _, o := range s.Options() {
			if o.IsPath() {
				out[s.Name()+" "+o.Name] = o
			}
		}
	}
	return out
}

// Replay asks for a recipe and takes its steps on the current model.
func Replay(ws *workspace.Workspace) tea.Cmd {
	ws.Host.Open(shell.NewFilePrompt(ws.Host, "take the steps of this recipe", ws.Options.Recipe, RecipeFiles, func(path string) tea.Cmd {
		return ReplayFile(ws, path)
	}))
	return nil
}

// ReplayFile takes the steps of a recipe on the current model. Nothing is written: measurements and
// files of the recipe are not made again.
func ReplayFile(ws *workspace.Workspace, path string) tea.Cmd {
	if why := ws.Busy(); why != "" {
		ws.Log.Say(why)
		return nil
	}
	return new(task.Task[session.Recipe]).Ask(ws.Tasks, task.Question[session.Recipe]{
		Doing: "reading " + path,
		Work:  func(context.Context, task.Report) (session.Recipe, error) { return session.OpenRecipe(path) },
		Take: func(r session.Recipe, err error) tea.Cmd {
			if err != nil {
				ws.Log.Fail(err)
				return nil
			}
			return askToReplay(ws, r, path)
		},
	})
}

// askToReplay takes the steps of a recipe, after a question if they need consent. The question is also
// about steps that are only recorded here, because a recipe that the person saves runs without one.
func askToReplay(ws *workspace.Workspace, r session.Recipe, path string) tea.Cmd {
	folder := filepath.Dir(path)
	if ws.Options.Recipes.Has(path, r.Digest) {
		return replay(ws, r, folder, nil)
	}
	q, acts := forms.Questioned(ws, r.Steps, folder)
	limits := q.Limits(acts, ws.Options.Env.Cache, ws.Options.Env.Results)
	if len(acts) == 0 {
		return replay(ws, r, folder, &limits)
	}
	why := []string{cells.Prose(path) + " was not saved by Lathe on this machine. Its steps would " + trust.Summary(acts) + ":"}
	for _, act := range acts {
		why = append(why, cells.Prose(act.String()))
	}
	why = append(why, "Files are written only when lathe run runs the recipe.")
	ws.Host.Open(shell.NewConfirmDialog(ws.Host, "take these steps", why, func() tea.Cmd { return replay(ws, r, folder, &limits) }))
	return nil
}

// replay takes the steps of a recipe as a job within limits, and adopts the result.
func replay(ws *workspace.Workspace, r session.Recipe, folder string, limits *permit.Limits) tea.Cmd {
	begun, _ := ws.Session.Begin(ws.Session.History())
	job := forms.StartRewriting(ws, &forms.Rewriting{Begun: begun, Recipe: r.Steps, Folder: folder, Limits: limits}, func(err error) tea.Cmd {
		if err != nil {
			return nil
		}
		if ws.Session.Revision() == 0 {
			ws.Session = begun          // undo goes back step by step
			ws.InRecipe = begun.Model() // it has only the steps of the recipe
		} else {
			ws.Session.Adopt(begun)
		}
		return ws.ShowModel()
	})
	ws.Host.Open(forms.NewResultsDialog(ws))
	return job
}
