package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// The actions of the main screen, by the names that settings and code use.
const (
	actionHelp      action = "help"
	actionPalette   action = "palette"
	actionFind      action = "find"
	actionNextPane  action = "next-pane"
	actionConsumers action = "consumers"
	actionMark      action = "mark"
	actionUnmark    action = "unmark-all"
	actionPins      action = "pins"
	actionPrune     action = "prune"
	actionQuit      action = "quit"
	actionInterrupt action = "interrupt"
	actionSuspend   action = "suspend"
	actionRedraw    action = "redraw"
)

// stepPrefix is the prefix of actions that open the form of a step. The step's name follows.
const stepPrefix = "step-"

func stepAction(name string) action { return action(stepPrefix + name) }

// columnPrefix is the prefix of actions that show or hide a column of the list. The column's name
// follows.
const columnPrefix = "column-"

// lookPrefix is the prefix of actions that move the focus to a pane. The pane's place follows.
const lookPrefix = "look-"

// command is an action of the main screen: its row in the key table, and its function.
type command struct {
	binding
	do func(*App) tea.Cmd
	// not returns why the action is not possible at the moment, or "". It is nil if the action is
	// always possible.
	not func(*workspace) string
}

// mainCommands returns all actions of the main screen, in the order of the help.
func mainCommands() []command {
	return slices.Concat(lookCommands(), graphCommands(), findCommands(), workCommands(), screenCommands())
}

// graphCommands move along the graph.
func graphCommands() []command {
	return []command{
		{binding{actionConsumers, "follow to what reads this", keys("l", "right")}, (*App).followDown, (*workspace).consumersRefusal},
		{binding{"producers", "follow to what makes its inputs", keys("h", "left")}, (*App).followUp, (*workspace).producersRefusal},
		{binding{"earlier", "back where you came from", keys("[")}, (*App).earlier, (*workspace).earlierRefusal},
		{binding{"later", "forward again", keys("]")}, (*App).later, (*workspace).laterRefusal},
		{binding{"enter-body", "enter the body or function of this node", keys("o")}, (*App).enterBody, (*workspace).enterRefusal},
		{binding{"leave-body", "go up to the graph outside", keys("backspace")}, (*App).leaveBody, (*workspace).leaveRefusal},
	}
}

// findCommands search and select.
func findCommands() []command {
	return []command{
		{binding{actionFind, "filter: names, op:Conv shape:*x224 params>1M in:/layers.2 …", keys("/")}, (*App).openSearch, nil},
		{binding{actionJump, "jump to a node, value or module by some letters of its name", keys("f")}, (*App).openJump, nil},
		{binding{actionNextMatch, "next match", keys("n")}, nextMatch(1), (*workspace).matchRefusal},
		{binding{"previous-match", "previous match", keys("N")}, nextMatch(-1), (*workspace).matchRefusal},
		{binding{"only-matches", "only the matches, or everything again", keys("F")}, (*App).onlyMatches, (*workspace).onlyRefusal},
		{binding{"back-out", "end the range or search, or leave the pane or body", keys("esc")}, (*App).backOut, nil},
		{binding{"depends-on", "light up what this depends on", keys("<")}, (*App).lightBefore, (*workspace).lightRefusal},
		{binding{"depended-by", "light up what depends on this", keys(">")}, (*App).lightAfter, (*workspace).lightRefusal},
		{binding{"path", "light up all between the mark and here, or the ends of the range", keys("w")}, (*App).lightPaths, (*workspace).pathRefusal},
		{binding{"shortest-path", "light up a shortest way between them", keys("W")}, (*App).lightShortest, (*workspace).pathRefusal},
		{binding{actionMark, "mark an output to keep", keys("space")}, (*App).mark, (*workspace).markRefusal},
		{binding{"range", "begin a range of rows, or end it", keys("v")}, (*App).toggleRange, (*workspace).rangeRefusal},
		{binding{actionUnmark, "unmark everything", keys("x")}, (*App).unmark, (*workspace).unmarkRefusal},
		{binding{actionProblems, "what is wrong with the model", keys("P")}, (*App).openDoctor, nil},
		{binding{"columns", "columns, sorting, groups", keys("c")}, (*App).openColumns, nil},
	}
}

// workCommands change the model and save the changes.
func workCommands() []command {
	out := []command{
		{binding{actionPrune, "prune to the marks; in a range, cut it out", keys("p")}, (*App).prune, (*workspace).pruneRefusal},
	}
	out = append(out,
		command{binding{"axes-here", "axes of this input or output: free, name, fix", keys("d")}, (*App).openAxesHere, (*workspace).axesRefusal},
		command{binding{actionPins, "back to the preview, or to the pins that a change of axes has left", keys("A")}, (*App).openPins, (*workspace).pinsRefusal},
		command{
			binding{actionSimplify, "simplify: what each pass would change, ticked on and off", keys("S")},
			(*App).openSimplify, func(ws *workspace) string { return ws.stepRefusal("simplify") },
		},
		command{
			binding{actionQuantize, "quantize: which nodes, what that saves, how well weights survive", keys("Q")},
			(*App).openQuantize, (*workspace).quantizeRefusal,
		})
	for _, s := range []struct{ name, key string }{{"axes", "a"}, {"export", "e"}, {"validate", "V"}, {"bench", "b"}} {
		out = append(out, command{
			binding{stepAction(s.name), "", keys(s.key)},
			func(a *App) tea.Cmd { return a.openForm(s.name) },
			func(ws *workspace) string { return ws.stepRefusal(s.name) },
		})
	}
	return append(out,
		command{binding{actionValue, "run up to here and show the values", keys("=")}, (*App).showValue, (*workspace).showRefusal},
		command{binding{actionValueBefore, "the values of what makes its inputs", keys("{")}, (*App).valueBefore, (*workspace).beforeRefusal},
		command{binding{actionValueAfter, "the values of what reads this", keys("}")}, (*App).valueAfter, (*workspace).afterRefusal},
		command{binding{actionValueForm, "what values are run on: inputs, provider, options", keys("I")}, (*App).openValueForm, (*workspace).showRefusal},
		command{binding{actionBlame, "the node that the last error is about", keys("!")}, (*App).goToBlame, (*workspace).blameRefusal},
		command{binding{actionDiff, "side by side with another model, or with itself as it was", keys("C")}, (*App).openDiff, (*workspace).diffRefusal},
		command{binding{actionValidation, "the table of the last validation", keys("U")}, (*App).openValidation, (*workspace).validationRefusal},
		command{binding{actionFlame, "where the time goes by module, in the last profile", keys("B")}, (*App).openFlame, (*workspace).flameRefusal},
		command{binding{"undo", "undo the last step", keys("u")}, (*App).undo, (*workspace).undoRefusal},
		command{binding{"redo", "redo it", keys("ctrl+r")}, (*App).redo, (*workspace).redoRefusal},
		command{binding{"steps", "the steps so far: change, move, remove", keys("R")}, (*App).openSteps, (*workspace).stepsRefusal},
		command{binding{"save-recipe", "save the steps so far as a recipe", keys("s")}, (*App).openRecipePath, (*workspace).recipeRefusal},
		command{binding{"results", "jobs and results", keys("r")}, (*App).openResults, (*workspace).resultsRefusal},
		command{binding{"copy-command", "copy the equivalent command", keys("y")}, (*App).copyCommand, (*workspace).copyRefusal},
		command{binding{"copy-name", "copy the name of this node or value", keys("Y")}, (*App).copyName, (*workspace).nameRefusal},
	)
}

// screenCommands change the screen.
func screenCommands() []command {
	return []command{
		{binding{"zoom", "show only this pane, or all panes again", keys("+")}, (*App).toggleZoom, nil},
		{binding{"theme", "next theme", keys("t")}, (*App).nextTheme, nil},
		{binding{"mouse", "give the mouse to the terminal, or take it back", keys("M")}, (*App).toggleMouse, nil},
		{binding{"log", "log of messages", keys("L")}, (*App).openLog, nil},
		{binding{actionPalette, "palette of everything", keys(":")}, (*App).openPalette, nil},
		{binding{actionHelp, "help for this place", keys("?")}, (*App).help, nil},
		{binding{actionQuit, "quit", keys("q")}, (*App).quit, nil},
	}
}

// alwaysCommands also work while a dialog is open.
func alwaysCommands() []command {
	return []command{
		{binding{actionHelp, "help for this place", keys("f1")}, (*App).help, nil},
		{binding{actionInterrupt, "cancel the job, or the reading; with neither, quit", keys("ctrl+c")}, (*App).interrupt, nil},
		{binding{actionRedraw, "redraw the screen", keys("ctrl+l")}, func(*App) tea.Cmd { return tea.ClearScreen }, nil},
		{binding{actionSuspend, "suspend", keys("ctrl+z")}, func(*App) tea.Cmd { return tea.Suspend }, nil},
	}
}

// lookCommands move the focus between panes. Each pane has a digit.
func lookCommands() []command {
	out := []command{
		{binding{actionNextPane, "next pane", keys("tab")}, turn(1), nil},
		{binding{"previous-pane", "previous pane", keys("shift+tab")}, turn(-1), nil},
	}
	for i, v := range panels {
		out = append(out, command{
			binding{action(lookPrefix + string(v.place)), "to " + v.title, keys(fmt.Sprint(i + 1))},
			func(a *App) tea.Cmd { a.look(v.place); return nil }, nil,
		})
	}
	return out
}

func mainKeys() []binding   { return bindingsOf(mainCommands()) }
func alwaysKeys() []binding { return bindingsOf(alwaysCommands()) }

func bindingsOf(commands []command) []binding {
	out := make([]binding, len(commands))
	for i, c := range commands {
		out[i] = c.binding
	}
	return out
}

// commandFor returns the command of an action.
func commandFor(act action) (command, bool) {
	for _, c := range slices.Concat(mainCommands(), alwaysCommands()) {
		if c.action == act {
			return c, true
		}
	}
	return command{}, false
}

// do implements doer for actions that work everywhere in the main screen. Steps without a key and
// columns are reached through the palette.
func (a *App) do(act action) tea.Cmd {
	if c, ok := commandFor(act); ok {
		return c.do(a)
	}
	if name, ok := strings.CutPrefix(string(act), stepPrefix); ok {
		return a.openForm(name)
	}
	if name, ok := strings.CutPrefix(string(act), columnPrefix); ok {
		a.ws.toggleColumn(name)
		a.ws.log.say(a.ws.columnSaid(name))
	}
	return nil
}

// refusal implements doer. Actions that open the form of a step, or show a column, have no entry in
// the table of commands and are recognized by their prefix.
func (a *App) refusal(act action) string {
	if c, ok := commandFor(act); ok {
		if c.not == nil {
			return ""
		}
		return c.not(a.ws)
	}
	if name, ok := strings.CutPrefix(string(act), stepPrefix); ok {
		return a.ws.stepRefusal(name)
	}
	if name, ok := strings.CutPrefix(string(act), columnPrefix); ok {
		return columnRefusal(name)
	}
	return ""
}
