package tui

import (
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/shell"
	"lathe/tui/theme"
)

var errNoPrune = errors.New("there is no step \"prune\"")

// mark toggles the marks of the range, or else of the selected row's value; it asks which one if
// the row has several.
func (ws *workspace) markHere() tea.Cmd {
	if ws.span.on {
		return ws.markRange()
	}
	names := ws.markable(ws.row())
	if len(names) == 1 {
		return ws.toggle(names[0])
	}
	choices := make([]shell.Choice, len(names))
	for i, name := range names {
		choices[i] = shell.Choice{Label: ws.markLabel(name), Do: func() tea.Cmd { return ws.toggle(name) }}
	}
	ws.host.Open(shell.NewChooseDialog(ws.host, "mark which output", choices))
	return nil
}

func (ws *workspace) markRefusal() string {
	switch {
	case ws.newStep("prune") == nil:
		return "there is no step \"prune\", so outputs cannot be marked"
	case ws.outline.place.Kind != graphops.MainGraph:
		return "outputs are chosen in the main graph; " + ws.keys.Key(shell.PlaceMain, "leave-body") + " leads there"
	case ws.span.on:
		return ""
	}
	return actions.Unless(len(ws.markable(ws.row())) > 0, "this row makes no value that could be an output")
}

func (ws *workspace) unmark() tea.Cmd {
	ws.marks.names = nil
	return ws.previewPrune()
}

func (ws *workspace) unmarkRefusal() string {
	return actions.Unless(len(ws.marks.names) > 0, "nothing is marked")
}

// prune prunes to the marks, or to the range, as a job.
func (ws *workspace) pruneNow() tea.Cmd {
	step, err := ws.pruneStep()
	if ws.span.on {
		step, err = ws.cutOut()
	}
	if err != nil {
		ws.log.Fail(err)
		return nil
	}
	ws.span = span{}
	return ws.run(step)
}

func (ws *workspace) pruneRefusal() string {
	switch {
	case ws.span.on && ws.wiring == nil:
		return ws.wiringRefusal()
	case ws.outline.place.Kind != graphops.MainGraph && (ws.span.on || len(ws.marks.names) == 0):
		return "only the main graph can be pruned; " + ws.keys.Key(shell.PlaceMain, "leave-body") + " leads there"
	case !ws.span.on && len(ws.marks.names) == 0:
		return fmt.Sprintf("first mark an output to keep, with %s", ws.keys.Key(shell.PlaceMain, actionMark))
	}
	return ws.stepRefusal("prune")
}

func (ws *workspace) undoStep() tea.Cmd {
	what := ws.session.CanUndo()
	ws.session.Undo()
	ws.log.Say("took back " + what)
	return ws.showModel()
}

func (ws *workspace) undoRefusal() string {
	return actions.Unless(ws.session.CanUndo() != "", "there is nothing to undo")
}

func (ws *workspace) redoStep() tea.Cmd {
	what := ws.session.CanRedo()
	ws.session.Redo()
	ws.log.Say("did " + what + " again")
	return ws.showModel()
}

func (ws *workspace) redoRefusal() string {
	return actions.Unless(ws.session.CanRedo() != "", "there is nothing to redo")
}

func (ws *workspace) recipeRefusal() string {
	return actions.Unless(len(ws.session.Recipe().Steps) > 0, "there is no step yet that a recipe could contain")
}

func (ws *workspace) resultsRefusal() string {
	return actions.Unless(len(ws.jobs.list) > 0, "no step has been run yet")
}

// command returns the command line for pruning to the marked values, or for the last job if nothing
// is marked. It is "" if there is neither.
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

func (ws *workspace) copyCommand() tea.Cmd { return ws.copy(ws.command()) }

func (ws *workspace) copyRefusal() string {
	if ws.command() == "" && ws.putAside() != nil {
		return "this change is only a preview; " + ws.keys.Key(shell.PlaceMain, actionPins) + " goes back to it"
	}
	return actions.Unless(ws.command() != "", "mark an output or run a step first; then its command can be copied")
}

// copyName copies a name as it is in the file.
func (ws *workspace) copyName() tea.Cmd { return ws.copy(ws.rawName()) }

func (ws *workspace) nameRefusal() string {
	return actions.Unless(ws.rawName() != "", "this row has no name")
}

// rawName returns the name of the selected node, input or output, or else of the value that the
// node makes.
func (ws *workspace) rawName() string {
	if n := ws.outline.node(ws.row()); n != nil && n.Name() != "" {
		return n.Name()
	}
	return ws.outline.value(ws.row())
}

// copy puts text on the clipboard of the terminal, which may be on another machine. It also shows
// the text, for terminals that do not allow this.
func (ws *workspace) copy(text string) tea.Cmd {
	ws.log.Say("copied: " + text)
	return tea.SetClipboard(text)
}

func (ws *workspace) openLog() tea.Cmd {
	ws.host.Open(shell.NewLogDialog(ws.host, &ws.log))
	return nil
}

// nextTheme switches to the next theme in the list, and after the last one to the first.
func (ws *workspace) nextTheme() tea.Cmd {
	for i, n := range theme.Names {
		if theme.StylesOf(n) == ws.styles {
			next := theme.Names[(i+1)%len(theme.Names)]
			ws.styles, ws.o.Settings.Theme = theme.StylesOf(next), string(next)
			ws.log.Say("theme: " + string(next))
			break
		}
	}
	return nil
}

func (ws *workspace) toggleMouse() tea.Cmd {
	ws.o.Settings.Mouse = !ws.o.Settings.Mouse
	if ws.o.Settings.Mouse {
		ws.log.Say("the mouse works in the workbench")
	} else {
		ws.log.Say("the mouse belongs to the terminal, to select and copy text")
	}
	return nil
}

// onlyMatches shows only the rows that were found, or all rows again.
func (ws *workspace) onlyMatches() tea.Cmd {
	o := ws.listing.order
	o.only = !o.only
	return ws.reorder(o)
}

func (ws *workspace) onlyRefusal() string {
	if ws.listing.order.only {
		return ""
	}
	return ws.matchRefusal()
}

func (ws *workspace) matchRefusal() string {
	f := &ws.found
	switch {
	case !f.isOn():
		return fmt.Sprintf("there is no filter; %s starts one", ws.keys.Key(shell.PlaceMain, actionFind))
	case f.err != nil:
		return f.why
	case !f.known:
		return "still searching"
	}
	return actions.Unless(len(f.rows)+f.elsewhere() > 0, f.emptiness())
}

// nextMatch goes to the next row that was found.
func nextMatch(by int) func(*workspace) tea.Cmd {
	return func(ws *workspace) tea.Cmd { return ws.nextMatch(by) }
}
