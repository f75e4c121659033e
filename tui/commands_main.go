package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
)

// The actions of the main screen that other code refers to.
const (
	actionHelp      action = "help"
	actionPalette   action = "palette"
	actionFind      action = "find"
	actionNextPane  action = "next-pane"
	actionConsumers action = "consumers"
	actionProducers action = "producers"
	actionMark      action = "mark"
	actionUnmark    action = "unmark-all"
	actionPins      action = "pins"
	actionPrune     action = "prune"
	actionQuit      action = "quit"
	actionInterrupt action = "interrupt"
	actionRedraw    action = "redraw"
)

// stepPrefix is the prefix of actions that open the form of a step. The step's name follows.
const stepPrefix = "step-"

func stepAction(name string) action { return action(stepPrefix + name) }

// lookAction returns the action that moves the focus to a pane.
func lookAction(p place) action { return "look-" + action(p) }

// graphCommands move along the graph.
func graphCommands() []row[*workspace] {
	type it = *workspace
	return []row[it]{
		actions.New(actionConsumers, "follow to what reads this", keys("l", "right"), it.followDown, it.consumersRefusal),
		actions.New(actionProducers, "follow to what makes its inputs", keys("h", "left"), it.followUp, it.producersRefusal),
		actions.New("earlier", "back where you came from", keys("["), it.earlier, it.earlierRefusal),
		actions.New("later", "forward again", keys("]"), it.later, it.laterRefusal),
		actions.New("enter-body", "enter the body or function of this node", keys("o"), it.enterBody, it.enterRefusal),
		actions.New("leave-body", "go up to the graph outside", keys("backspace"), it.leaveBody, it.leaveRefusal),
	}
}

// findCommands search and select.
func findCommands() []row[*workspace] {
	type it = *workspace
	return []row[it]{
		actions.New(actionFind, "filter: names, op:Conv shape:*x224 params>1M in:/layers.2 …", keys("/"), it.openSearch),
		actions.New("jump", "jump to a node, value or module by some letters of its name", keys("f"), it.openJump),
		actions.New(actionNextMatch, "next match", keys("n"), nextMatch(1), it.matchRefusal),
		actions.New("previous-match", "previous match", keys("N"), nextMatch(-1), it.matchRefusal),
		actions.New("only-matches", "only the matches, or everything again", keys("F"), it.onlyMatches, it.onlyRefusal),
		actions.New("back-out", "end the range or search, or leave the pane or body", keys("esc"), it.backOut),
		actions.New("depends-on", "light up what this depends on", keys("<"), it.lightBefore, it.lightRefusal),
		actions.New("depended-by", "light up what depends on this", keys(">"), it.lightAfter, it.lightRefusal),
		actions.New("path", "light up all between the mark and here, or the ends of the range", keys("w"), it.lightPaths, it.pathRefusal),
		actions.New("shortest-path", "light up a shortest way between them", keys("W"), it.lightShortest, it.pathRefusal),
		actions.New(actionMark, "mark an output to keep", keys("space"), it.markHere, it.markRefusal),
		actions.New("range", "begin a range of rows, or end it", keys("v"), it.toggleRange, it.rangeRefusal),
		actions.New(actionUnmark, "unmark everything", keys("x"), it.unmark, it.unmarkRefusal),
		actions.New(actionProblems, "what is wrong with the model", keys("P"), it.openDoctor),
		actions.New("columns", "columns, sorting, groups", keys("c"), it.openColumns),
	}
}

// workCommands change the model and save the changes.
func workCommands() []row[*workspace] {
	type it = *workspace
	return slices.Concat(
		[]row[it]{
			actions.New(actionPrune, "prune to the marks; in a range, cut it out", keys("p"), it.pruneNow, it.pruneRefusal),
			actions.New("axes-here", "axes of this input or output: free, name, fix", keys("d"), it.openAxesHere, it.axesRefusal),
			actions.New(actionPins, "back to the preview, or to the pins that a change of axes has left", keys("A"), it.openPins, it.pinsRefusal),
			actions.New(actionSimplify, "simplify: what each pass would change, ticked on and off", keys("S"), it.openSimplify, noStep("simplify")),
			actions.New(actionQuantize, "quantize: which nodes, what that saves, how well weights survive", keys("Q"), it.openQuantize, it.quantizeRefusal),
		},
		[]row[it]{formAction("axes", "a"), formAction("export", "e"), formAction("validate", "V"), formAction("bench", "b")},
		[]row[it]{
			actions.New(actionValue, "run up to here and show the values", keys("="), it.showValue, it.showRefusal),
			actions.New("value-before", "the values of what makes its inputs", keys("{"), it.valueBefore, it.beforeRefusal),
			actions.New("value-after", "the values of what reads this", keys("}"), it.valueAfter, it.afterRefusal),
			actions.New(actionValueForm, "what values are run on: inputs, provider, options", keys("I"), it.openValueForm, it.showRefusal),
			actions.New(actionBlame, "the node that the last error is about", keys("!"), it.goToBlame, it.blameRefusal),
			actions.New(actionDiff, "side by side with another model, or with itself as it was", keys("C"), it.openDiff, it.diffRefusal),
			actions.New(actionValidation, "the table of the last validation", keys("U"), it.openValidation, it.validationRefusal),
			actions.New("flame", "where the time goes by module, in the last profile", keys("B"), it.openFlame, it.flameRefusal),
			actions.New("undo", "undo the last step", keys("u"), it.undoStep, it.undoRefusal),
			actions.New("redo", "redo it", keys("ctrl+r"), it.redoStep, it.redoRefusal),
			actions.New("steps", "the steps so far: change, move, remove", keys("R"), it.openSteps, it.stepsRefusal),
			actions.New("save-recipe", "save the steps so far as a recipe", keys("s"), it.openRecipePath, it.recipeRefusal),
			actions.New("results", "jobs and results", keys("r"), it.openResults, it.resultsRefusal),
			actions.New("copy-command", "copy the equivalent command", keys("y"), it.copyCommand, it.copyRefusal),
			actions.New("copy-name", "copy the name of this node or value", keys("Y"), it.copyName, it.nameRefusal),
		},
	)
}

// screenCommands change the screen.
func screenCommands() []row[*App] {
	type it = *App
	type ws = *workspace
	return slices.Concat([]row[it]{
		actions.New("zoom", "show only this pane, or all panes again", keys("+"), it.toggleZoom),
	}, onWorkspace([]row[ws]{
		actions.New("theme", "next theme", keys("t"), ws.nextTheme),
		actions.New("mouse", "give the mouse to the terminal, or take it back", keys("M"), ws.toggleMouse),
		actions.New("log", "log of messages", keys("L"), ws.openLog),
	}), []row[it]{
		actions.New(actionPalette, "palette of everything", keys(":"), it.openPalette),
		actions.New(actionHelp, "help for this place", keys("?"), it.help),
		actions.New(actionQuit, "quit", keys("q"), it.quit),
	})
}

// alwaysCommands also work while a dialog is open.
func alwaysCommands() []row[*App] {
	type it = *App
	return []row[it]{
		actions.New(actionHelp, "help for this place", keys("f1"), it.help),
		actions.New(actionInterrupt, "cancel the job, or the reading; with neither, quit", keys("ctrl+c"), it.interrupt),
		actions.New(actionRedraw, "redraw the screen", keys("ctrl+l"), func(*App) tea.Cmd { return tea.ClearScreen }),
		actions.New("suspend", "suspend", keys("ctrl+z"), func(*App) tea.Cmd { return tea.Suspend }),
	}
}

// lookCommands move the focus between panes. Each pane has a digit.
func lookCommands() []row[*App] {
	out := []row[*App]{
		actions.New(actionNextPane, "next pane", keys("tab"), turn(1)),
		actions.New("previous-pane", "previous pane", keys("shift+tab"), turn(-1)),
	}
	for i, v := range panels() {
		out = append(out, actions.Now(lookAction(v.place), "to "+v.title, keys(fmt.Sprint(i+1)), func(a *App) { a.look(v.place) }))
	}
	return out
}

// formAction opens the form of a step.
func formAction(name string, keys ...string) row[*workspace] {
	return actions.New(stepAction(name), "the form of the step", keys, func(ws *workspace) tea.Cmd { return ws.openForm(name) }, noStep(name))
}

// columnAction shows or hides a column of the list.
func columnAction(c column) row[*workspace] {
	return actions.Now(action("column-"+c.name), "show or hide the column "+c.name+": "+c.help, nil, func(ws *workspace) {
		ws.toggleColumn(c.name)
		ws.log.say(ws.columnSaid(c.name))
	}, func(*workspace) string { return columnRefusal(c.name) })
}

// onWorkspace returns rows of the workspace as rows of the workbench.
func onWorkspace(rows []row[*workspace]) []row[*App] {
	return actions.Through(func(a *App) *workspace { return a.ws }, rows)
}

// noStep returns the reason why a step cannot be run at the moment.
func noStep(name string) func(*workspace) string {
	return func(ws *workspace) string { return ws.stepRefusal(name) }
}

func alwaysActions() []actions.Action { return actions.Of(alwaysCommands()) }

// mainActions returns all actions of the main screen, in the order of the help.
func mainActions() []actions.Action {
	return actions.Of(slices.Concat(
		lookCommands(), onWorkspace(graphCommands()), onWorkspace(findCommands()), onWorkspace(workCommands()), screenCommands()))
}
