package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/opschema"
	"lathe/tui/actions"
	"lathe/tui/comparison"
	"lathe/tui/files"
	"lathe/tui/flame"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/guide"
	"lathe/tui/history"
	"lathe/tui/inplace"
	"lathe/tui/install"
	"lathe/tui/nodes"
	"lathe/tui/passes"
	"lathe/tui/precision"
	"lathe/tui/problems"
	"lathe/tui/search"
	"lathe/tui/sheet"
	"lathe/tui/shell"
	"lathe/tui/tensors"
	"lathe/tui/values"
	"lathe/tui/workspace"
)

// graphCommands show the model and move along the graph.
func graphCommands() []actions.Row[*workspace.Workspace] {
	type it = *workspace.Workspace
	return []actions.Row[it]{
		actions.New(workspace.ActionProblems, "what is wrong with the model", actions.Keys("P"), problems.Open),
		actions.New(tensors.ActionWeights, "list of the weights, the largest first", nil, tensors.OpenWeights),
		actions.New("columns", "columns, sorting, groups", actions.Keys("c"), nodes.OpenColumns),
		actions.Now(workspace.ActionConstants, "show constants as rows, or fold them into their readers", actions.Keys("K"), workspace.ToggleConstants, workspace.ConstantsRefusal),
		actions.New(workspace.ActionConsumers, "follow to what reads this", actions.Keys("l", "right"), followDown, consumersRefusal),
		actions.New(workspace.ActionProducers, "follow to what makes its inputs", actions.Keys("h", "left"), followUp, producersRefusal),
		actions.New("earlier", "back where you came from", actions.Keys("["), earlierSpot, earlierRefusal),
		actions.New("later", "forward again", actions.Keys("]"), laterSpot, laterRefusal),
		actions.New("enter-body", "enter the body or function of this node", actions.Keys("o"), it.EnterBody, it.EnterRefusal),
		actions.New("leave-body", "go up to the graph outside", actions.Keys("backspace"), leaveBody, leaveRefusal),
	}
}

// findCommands search.
func findCommands() []actions.Row[*workspace.Workspace] {
	type it = *workspace.Workspace
	return []actions.Row[it]{
		actions.New(workspace.ActionFind, "filter: names, op:Conv shape:*x224 params>1M in:/layers.2 …", actions.Keys("/"), search.OpenSearch).With(search.SearchFor),
		actions.New("jump", "jump to a node, value or module by some letters of its name", actions.Keys("f"), search.OpenJump),
		actions.New(search.ActionNextMatch, "next match", actions.Keys("n"), nextMatch(1), it.MatchRefusal),
		actions.New("previous-match", "previous match", actions.Keys("N"), nextMatch(-1), it.MatchRefusal),
		actions.New("only-matches", "only the matches, or everything again", actions.Keys("F"), onlyMatches, onlyRefusal),
		actions.New("back-out", "end the range, leave the pane, end the search, leave the body, back to the list of models", actions.Keys("esc"), backOut),
		actions.New("depends-on", "light up what this depends on", actions.Keys("<"), lightBefore, lightRefusal),
		actions.New("depended-by", "light up what depends on this", actions.Keys(">"), lightAfter, lightRefusal),
		actions.New("path", "light up all between the mark and here, or the ends of the range", actions.Keys("w"), lightPaths, pathRefusal),
		actions.New("shortest-path", "light up a shortest way between them", actions.Keys("W"), lightShortest, pathRefusal),
		actions.New(workspace.ActionBlame, "the node that the last error is about", actions.Keys("!"), goToBlame, blameRefusal),
	}
}

// editCommands select what to keep, cut and edit.
func editCommands() []actions.Row[*workspace.Workspace] {
	return []actions.Row[*workspace.Workspace]{
		actions.New(workspace.ActionMark, "mark an output to keep", actions.Keys("space"), markHere, markRefusal),
		actions.New("range", "begin a range of rows, or end it", actions.Keys("v"), toggleRange, rangeRefusal),
		actions.New(workspace.ActionUnmark, "unmark everything", actions.Keys("x"), unmark, unmarkRefusal),
		actions.New(workspace.ActionPrune, "prune to the marks; in a range, cut it out", actions.Keys("p"), pruneNow, pruneRefusal),
		actions.New(workspace.ActionDropped, "list what a prune to the marks would remove", actions.Keys("D"), workspace.ListDropped, workspace.DroppedRefusal),
		actions.New(inplace.ActionBranch, "keep this branch of an If and drop the other", nil, inplace.KeepBranch, inplace.BranchRefusal),
		actions.New("edit-here", "edit this row: attributes, names, types, operator", actions.Keys("e"), inplace.Open, inplace.Refusal),
		formAction("insert", "i").With(func(ws *workspace.Workspace, op string) tea.Cmd { return forms.OpenFormWith(ws, "insert", "op", op) }).Accepting(opschema.IsName),
		formAction("axes", "a"),
		actions.New("axes-here", "axes of this input or output: free, name, fix", actions.Keys("d"), openAxesHere, axesRefusal),
		actions.New(workspace.ActionPins, "back to the preview, or to the fixed sizes that a change of axes has left", actions.Keys("A"), openPins, pinsRefusal),
		actions.New("undo", "undo the last step", actions.Keys("u"), workspace.UndoStep, workspace.UndoRefusal),
		actions.New("redo", "redo it", actions.Keys("ctrl+r"), workspace.RedoStep, workspace.RedoRefusal),
		actions.New("steps", "the steps so far: change, move, remove", actions.Keys("R"), forms.OpenSteps, forms.StepsRefusal),
	}
}

// lighterCommands make the model smaller or faster.
func lighterCommands() []actions.Row[*workspace.Workspace] {
	return []actions.Row[*workspace.Workspace]{
		actions.New(passes.ActionSimplify, "simplify: what each pass would change, ticked on and off", actions.Keys("S"), passes.Open, noStep("simplify")),
		actions.New(precision.ActionQuantize, "quantize: which nodes, what that saves, how well weights survive", actions.Keys("Q"), precision.OpenQuantize, precision.QuantizeRefusal),
	}
}

// measureCommands run the model, compare it and measure it.
func measureCommands() []actions.Row[*workspace.Workspace] {
	return []actions.Row[*workspace.Workspace]{
		formAction("bench", "b"),
		formAction("profile", "T"),
		actions.New("flame", "where the time goes by module, in the last profile", actions.Keys("B"), flame.Open, flame.Refusal),
		formAction("validate", "V"),
		actions.New(comparison.ActionValidation, "the table of the last validation", actions.Keys("U"), comparison.OpenValidation, comparison.ValidationRefusal),
		actions.New(sheet.ActionDiff, "side by side with another model, or with itself as it was", actions.Keys("C"), sheet.Open, sheet.Refusal),
		actions.New(values.ActionValue, "run up to here and show the values", actions.Keys("="), showValue, values.ShowRefusal),
		actions.New("value-before", "the values of what makes its inputs", actions.Keys("{"), valueBefore, beforeRefusal),
		actions.New("value-after", "the values of what reads this", actions.Keys("}"), valueAfter, afterRefusal),
		actions.New(values.ActionValueForm, "what values are run on: inputs, provider, options", actions.Keys("I"), forms.OpenValueForm, values.ShowRefusal),
		actions.New("results", "jobs and results, stored ones too", actions.Keys("r"), history.OpenResults, history.ResultsRefusal),
		actions.New(workspace.ActionInstall, "install an ONNX Runtime, which runs models", nil, install.Open, install.Refusal),
		actions.New(workspace.ActionStored, "stored results of this model: show, compare", nil, history.Open, forms.StoredRefusal),
	}
}

// sessionCommands save the work and leave it.
func sessionCommands() []actions.Row[*App] {
	type it = *App
	type ws = *workspace.Workspace
	return slices.Concat(onWorkspace([]actions.Row[ws]{
		actions.New(workspace.ActionWrite, "write the model as it is to a file", actions.Keys("ctrl+s"), files.Write, files.WriteRefusal).With(files.WriteAs).Accepting(isFile),
		formAction("export", "E"),
		actions.New("save-recipe", "save the steps so far as a recipe", actions.Keys("s"), files.SaveRecipe, files.RecipeRefusal).With(files.SaveRecipeAs).Accepting(isFile),
		actions.New("replay", "take the steps of a recipe", nil, files.Replay).With(files.ReplayFile).Accepting(isFile),
		actions.New("copy-command", "copy the equivalent command", actions.Keys("y"), copyCommand, copyRefusal),
		actions.New("copy-name", "copy the name of this node or value", actions.Keys("Y"), copyName, nameRefusal),
	}), []actions.Row[it]{
		actions.New(files.ActionOpen, "open another model", nil, it.openModel).With(it.openFile).Accepting(isFile),
		actions.New("write-quit", "write the model to a file and quit", nil, it.writeAndQuit, it.writeRefusal),
	}, onWorkspace([]actions.Row[ws]{
		actions.New("theme", "next theme", actions.Keys("t"), nextTheme).With(setTheme),
		actions.New("mouse", "give the mouse to the terminal, or take it back", actions.Keys("M"), toggleMouse),
		actions.New("log", "log of messages", actions.Keys("L"), openLog),
	}), []actions.Row[it]{
		actions.New(workspace.ActionPalette, "palette of everything", actions.Keys(":"), it.openPalette),
		actions.New(shell.ActionHelp, "help for this place", actions.Keys("?"), it.Help),
		actions.New(workspace.ActionQuit, "quit", actions.Keys("q"), it.quit),
	})
}

// alwaysCommands also work while a dialog is open.
func alwaysCommands() []actions.Row[*App] {
	type it = *App
	return []actions.Row[it]{
		actions.New(shell.ActionHelp, "help for this place", actions.Keys("f1"), it.Help),
		actions.New(workspace.ActionInterrupt, "cancel the job, the reading or the dialog; with none, quit", actions.Keys("ctrl+c"), it.interrupt),
		actions.New(workspace.ActionRedraw, "redraw the screen", actions.Keys("ctrl+l"), func(*App) tea.Cmd { return tea.ClearScreen }),
		actions.New("suspend", "suspend", actions.Keys("ctrl+z"), func(*App) tea.Cmd { return tea.Suspend }),
	}
}

// lookCommands move the focus between panes. Each pane has a digit.
func lookCommands() []actions.Row[*App] {
	out := []actions.Row[*App]{
		actions.New(workspace.ActionNextPane, "next pane", actions.Keys("tab"), turn(1)),
		actions.New("previous-pane", "previous pane", actions.Keys("shift+tab"), turn(-1)),
	}
	for i, v := range panels() {
		out = append(out, actions.Now(workspace.LookAction(v.Place), "to "+v.Title, actions.Keys(fmt.Sprint(i)), func(a *App) { a.Look(v.Place) }))
	}
	return append(out, actions.New(workspace.ActionZoom, "show only this pane, or all panes again", actions.Keys("+"), (*App).toggleZoom))
}

// formAction opens the form of a step.
func formAction(name string, keys ...string) actions.Row[*workspace.Workspace] {
	return actions.New(workspace.StepAction(name), "the form of the step", keys, func(ws *workspace.Workspace) tea.Cmd { return forms.OpenForm(ws, name) }, noStep(name))
}

// columnAction shows or hides a column of the list.
func columnAction(c graph.Column) actions.Row[*workspace.Workspace] {
	return actions.Now(actions.Name("column-"+c.Name), "show or hide the column "+c.Name+": "+c.Help, nil, func(ws *workspace.Workspace) {
		workspace.ToggleColumn(ws, c.Name)
		ws.Log.Say(workspace.ColumnSaid(ws, c.Name))
	}, func(*workspace.Workspace) string { return nodes.ColumnRefusal(c.Name) })
}

// onWorkspace returns rows of the workspace as rows of the workbench.
func onWorkspace(rows []actions.Row[*workspace.Workspace]) []actions.Row[*App] {
	return actions.Through(func(a *App) *workspace.Workspace { return a.ws }, rows)
}

// noStep returns the reason why a step cannot be run at the moment.
func noStep(name string) func(*workspace.Workspace) string {
	return func(ws *workspace.Workspace) string { return ws.StepRefusal(name) }
}

func alwaysActions() []actions.Action {
	return actions.Of(actions.Under(guide.Session, alwaysCommands()))
}

// mainActions returns all actions of the main screen, in the order of the help.
func mainActions() []actions.Action {
	under := func(heading string, rows []actions.Row[*workspace.Workspace]) []actions.Row[*App] {
		return actions.Under(heading, onWorkspace(rows))
	}
	return actions.Of(slices.Concat(
		under(guide.Look, graphCommands()),
		actions.Under(guide.Look, lookCommands()),
		under(guide.Find, findCommands()),
		under(guide.Edit, editCommands()),
		under(guide.Lighter, lighterCommands()),
		under(guide.Measure, measureCommands()),
		actions.Under(guide.Session, sessionCommands()),
	))
}

// isFile reports whether a word looks like the name of a file.
func isFile(word string) bool { return strings.ContainsAny(word, "./~") }
