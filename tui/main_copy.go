package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/shell"
	"lathe/tui/theme"
)

func recipeRefusal(ws *workspace) string {
	return actions.Unless(len(ws.session.Recipe().Steps) > 0, "there is no step yet that a recipe could contain")
}

func resultsRefusal(ws *workspace) string {
	return actions.Unless(len(ws.jobs.list) > 0, "no step has been run yet")
}

// lastCommand returns the command line for pruning to the marked values, or for the last job if nothing
// is marked. It is "" if there is neither.
func lastCommand(ws *workspace) string {
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

func copyCommand(ws *workspace) tea.Cmd { return ws.copy(lastCommand(ws)) }

func copyRefusal(ws *workspace) string {
	if lastCommand(ws) == "" && putAside(ws) != nil {
		return "this change is only a preview; " + ws.keys.Key(shell.PlaceMain, actionPins) + " goes back to it"
	}
	return actions.Unless(lastCommand(ws) != "", "mark an output or run a step first; then its command can be copied")
}

// copyName copies a name as it is in the file.
func copyName(ws *workspace) tea.Cmd { return ws.copy(rawName(ws)) }

func nameRefusal(ws *workspace) string {
	return actions.Unless(rawName(ws) != "", "this row has no name")
}

// rawName returns the name of the selected node, input or output, or else of the value that the
// node makes.
func rawName(ws *workspace) string {
	if n := ws.outline.Node(ws.row()); n != nil && n.Name() != "" {
		return n.Name()
	}
	return ws.outline.Value(ws.row())
}

func openLog(ws *workspace) tea.Cmd {
	ws.host.Open(shell.NewLogDialog(ws.host, &ws.log))
	return nil
}

// nextTheme switches to the next theme in the list, and after the last one to the first.
func nextTheme(ws *workspace) tea.Cmd {
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

func toggleMouse(ws *workspace) tea.Cmd {
	ws.o.Settings.Mouse = !ws.o.Settings.Mouse
	if ws.o.Settings.Mouse {
		ws.log.Say("the mouse works in the workbench")
	} else {
		ws.log.Say("the mouse belongs to the terminal, to select and copy text")
	}
	return nil
}

// onlyMatches shows only the rows that were found, or all rows again.
func onlyMatches(ws *workspace) tea.Cmd {
	o := ws.listing.order
	o.Only = !o.Only
	return ws.reorder(o)
}

func onlyRefusal(ws *workspace) string {
	if ws.listing.order.Only {
		return ""
	}
	return ws.matchRefusal()
}

// nextMatch goes to the next row that was found.
func nextMatch(by int) func(*workspace) tea.Cmd {
	return func(ws *workspace) tea.Cmd { return ws.nextMatch(by) }
}
