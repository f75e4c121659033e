package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/tui/cells"
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
		if row, ok := ws.trail.back(ws.rows.Cursor); ok {
			ws.goTo(row)
		}
	case actionLater:
		if row, ok := ws.trail.forward(ws.rows.Cursor); ok {
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
		a.help()
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

// turn moves the focus to the next pane.
func (a *App) turn() {
	panes := a.panes(a.screen())
	i := slices.IndexFunc(panes, func(p placed) bool { return p.pane == a.focus })
	a.focus = panes[(i+1)%len(panes)].pane
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
	names := a.ws.markable(a.ws.rows.Cursor)
	if len(names) == 1 {
		return a.ws.toggle(names[0])
	}
	choices := make([]choice, len(names))
	for i, name := range names {
		what := cells.Label(name)
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
