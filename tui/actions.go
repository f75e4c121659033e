package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/session/text"
)

// do implements doer with what works everywhere in the main screen.
func (a *App) do(act action) tea.Cmd {
	if name, ok := strings.CutPrefix(string(act), stepPrefix); ok {
		return a.openForm(name)
	}
	ws := a.ws
	switch act {
	case actionFocus:
		a.turn()
	case actionBack:
		return a.backOut()
	case actionConsumers:
		a.follow("read by", ws.consumers())
	case actionProducers:
		a.follow("made by", ws.producers())
	case actionEarlier:
		if row, ok := ws.trail.back(ws.rows.cursor); ok {
			ws.goTo(row)
		}
	case actionLater:
		if row, ok := ws.trail.forward(ws.rows.cursor); ok {
			ws.goTo(row)
		}
	case actionFind:
		a.dialogs.open(newSearchPrompt(a))
	case actionNext:
		ws.nextMatch(1)
	case actionPrevious:
		ws.nextMatch(-1)
	case actionMark:
		return a.mark()
	case actionUnmark:
		ws.unmark()
	case actionPrune:
		return a.prune()
	case actionUndo:
		return a.undo()
	case actionRedo:
		return a.redo()
	case actionSave:
		a.dialogs.open(newRecipePrompt(a))
	case actionCopy:
		return ws.copy(ws.command())
	case actionResults:
		a.dialogs.open(newResultsDialog(a))
	case actionLog:
		a.dialogs.open(newLogDialog(a))
	case actionHelp:
		a.dialogs.open(newHelpDialog(a))
	case actionPalette:
		a.dialogs.open(newPalette(a))
	case actionQuit:
		return a.quit()
	case actionInterrupt:
		return a.interrupt()
	case actionSuspend:
		return tea.Suspend
	}
	return nil
}

// refusal implements doer.
func (a *App) refusal(act action) string {
	if name, ok := strings.CutPrefix(string(act), stepPrefix); ok {
		return a.ws.stepRefusal(name)
	}
	ws := a.ws
	switch act {
	case actionConsumers:
		return ws.edgeRefusal(ws.consumers, "nothing reads this")
	case actionProducers:
		return ws.edgeRefusal(ws.producers, "no row makes what this reads")
	case actionEarlier:
		return unless(len(ws.trail.behind) > 0, "there is no earlier place")
	case actionLater:
		return unless(len(ws.trail.ahead) > 0, "there is no later place")
	case actionNext, actionPrevious:
		return ws.searchRefusal()
	case actionMark:
		return ws.markRefusal()
	case actionUnmark:
		return unless(len(ws.marks.names) > 0, "nothing is marked")
	case actionPrune:
		return ws.pruneRefusal()
	case actionUndo:
		return unless(ws.session.CanUndo() != "", "there is nothing to undo")
	case actionRedo:
		return unless(ws.session.CanRedo() != "", "there is nothing to redo")
	case actionSave:
		return unless(len(ws.session.Recipe().Steps) > 0, "no step has been taken yet that a recipe could hold")
	case actionCopy:
		return unless(ws.command() != "", "mark an output or take a step first; then its command can be copied")
	case actionResults:
		return unless(len(ws.jobs.list) > 0, "no step has been run yet")
	}
	return ""
}

// unless is a reason that holds where the condition does not.
func unless(can bool, why string) string {
	if can {
		return ""
	}
	return why
}

func (ws *workspace) edgeRefusal(edges func() []edge, none string) string {
	if ws.wiring == nil {
		return "the wires of the graph are still being read"
	}
	return unless(len(edges()) > 0, none)
}

func (ws *workspace) searchRefusal() string {
	switch {
	case ws.search.query == "":
		return fmt.Sprintf("nothing is searched for; %s searches", keyOf(placeMain, actionFind))
	case !ws.search.known:
		return "still searching"
	}
	return unless(len(ws.search.rows) > 0, fmt.Sprintf("nothing matches %q", ws.search.query))
}

func (ws *workspace) markRefusal() string {
	if ws.newStep("prune") == nil {
		return "there is no step \"prune\" that marks could be for"
	}
	return unless(ws.outline.len() > 0 && len(ws.markable(ws.rows.cursor)) > 0, "this row makes nothing that could be an output")
}

func (ws *workspace) pruneRefusal() string {
	if len(ws.marks.names) == 0 {
		return fmt.Sprintf("mark an output to keep first, with %s", keyOf(placeMain, actionMark))
	}
	return ws.stepRefusal("prune")
}

// turn moves the focus to the other pane.
func (a *App) turn() {
	if a.focus == pane(a.nodes) {
		a.focus = a.detail
	} else {
		a.focus = a.nodes
	}
}

// backOut ends what was begun last: the search, then the look at the detail.
func (a *App) backOut() tea.Cmd {
	if a.ws.search.query != "" {
		return a.ws.find("", false)
	}
	a.focus = a.nodes
	return nil
}

// follow goes along the only edge, or asks which.
func (a *App) follow(what string, edges []edge) {
	if len(edges) == 1 {
		a.ws.jump(edges[0].row)
		return
	}
	choices := make([]choice, len(edges))
	for i, e := range edges {
		choices[i] = choice{a.ws.choiceOf(e), func() tea.Cmd { a.ws.jump(e.row); return nil }}
	}
	a.dialogs.open(newChooseDialog(a, what, choices))
}

// mark toggles the mark of the selected row's value, or asks of which.
func (a *App) mark() tea.Cmd {
	names := a.ws.markable(a.ws.rows.cursor)
	if len(names) == 1 {
		return a.ws.toggle(names[0])
	}
	choices := make([]choice, len(names))
	for i, name := range names {
		what := label(name)
		if a.ws.marks.has(name) {
			what += "  (marked)"
		}
		choices[i] = choice{what, func() tea.Cmd { return a.ws.toggle(name) }}
	}
	a.dialogs.open(newChooseDialog(a, "mark which output", choices))
	return nil
}

// prune runs the prune to the marks as a job.
func (a *App) prune() tea.Cmd {
	step, err := a.ws.pruneStep()
	if err != nil {
		a.ws.log.fail(err)
		return nil
	}
	return a.ws.run(step)
}

func (a *App) undo() tea.Cmd {
	what := a.ws.session.CanUndo()
	a.ws.session.Undo()
	a.ws.log.say("took back " + what)
	return a.ws.showModel()
}

func (a *App) redo() tea.Cmd {
	what := a.ws.session.CanRedo()
	a.ws.session.Redo()
	a.ws.log.say("did " + what + " again")
	return a.ws.showModel()
}

// interrupt cancels the job that runs; without one it quits.
func (a *App) interrupt() tea.Cmd {
	if a.ws.jobs.cancel() {
		return nil
	}
	return a.quit()
}

// quit ends the program, after a question where something would be lost.
func (a *App) quit() tea.Cmd {
	why := a.ws.losses()
	if len(why) == 0 {
		return tea.Quit
	}
	a.dialogs.open(newConfirmDialog(a, "quit", why, func() tea.Cmd { return tea.Quit }))
	return nil
}

// losses are what ends with the program.
func (ws *workspace) losses() []string {
	var out []string
	if j := ws.jobs.running(); j != nil {
		out = append(out, fmt.Sprintf("%s is still running; it will be cancelled.", j.name))
	}
	if n := len(ws.marks.names); n > 0 {
		out = append(out, fmt.Sprintf("%s not pruned to yet.", text.Plural(n, "mark")+isOrAre(n)))
	}
	if ws.unsaved && ws.session.CanUndo() != "" {
		out = append(out, "The model as it is now is in no file and no recipe.")
	}
	return out
}

func isOrAre(n int) string {
	if n == 1 {
		return " is"
	}
	return " are"
}

// command is the command that does what is marked, else the last step; "" where
// there is neither.
func (ws *workspace) command() string {
	if len(ws.marks.names) > 0 {
		if step, err := ws.pruneStep(); err == nil {
			return session.CommandOf(step, ws.o.Path)
		}
	}
	if n := len(ws.jobs.list); n > 0 {
		return ws.jobs.list[n-1].command
	}
	return ""
}

// copy puts a command on the clipboard of the terminal, which may be another
// machine's, and shows it for terminals that do not let it.
func (ws *workspace) copy(command string) tea.Cmd {
	ws.log.say("copied: " + command)
	return tea.SetClipboard(command)
}
