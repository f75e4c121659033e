package tui

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/config"
	"lathe/tui/shell"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// lastCommand returns the command line for pruning to the marked values, or for the last job if nothing
// is marked. It is "" if there is neither.
func lastCommand(ws *workspace.Workspace) string {
	if len(ws.Marks.Names) > 0 {
		if step, err := ws.PruneStep(); err == nil {
			return ws.CommandLines(step)
		}
	}
	if n := len(ws.Jobs.List); n > 0 {
		j := ws.Jobs.List[n-1]
		return cmp.Or(j.Script, j.Command)
	}
	return ""
}

func copyCommand(ws *workspace.Workspace) tea.Cmd { return ws.Copy(lastCommand(ws)) }

func copyRefusal(ws *workspace.Workspace) string {
	if lastCommand(ws) == "" && workspace.PutAside(ws) != nil {
		return "this change is only a preview; " + ws.Keys.Key(shell.PlaceMain, workspace.ActionPins) + " goes back to it"
	}
	return actions.Unless(lastCommand(ws) != "", "mark an output or run a step first; then its command can be copied")
}

// copyName copies a name as it is in the file.
func copyName(ws *workspace.Workspace) tea.Cmd { return ws.Copy(rawName(ws)) }

func nameRefusal(ws *workspace.Workspace) string {
	return actions.Unless(rawName(ws) != "", "this row has no name")
}

// rawName returns the name of the selected node, input or output, or else of the value that the
// node makes.
func rawName(ws *workspace.Workspace) string {
	if n := ws.Outline.Node(ws.Row()); n != nil && n.Name() != "" {
		return n.Name()
	}
	return ws.Outline.Value(ws.Row())
}

func openLog(ws *workspace.Workspace) tea.Cmd {
	ws.Host.Open(shell.NewLogDialog(ws.Host, &ws.Log))
	return nil
}

// nextTheme switches to the next theme in the list, and after the last one to the first.
func nextTheme(ws *workspace.Workspace) tea.Cmd {
	for i, n := range theme.Names {
		if theme.StylesOf(n) == ws.Styles {
			next := theme.Names[(i+1)%len(theme.Names)]
			ws.Styles, ws.Options.Settings.Theme = theme.StylesOf(next), string(next)
			ws.Log.Say("theme: " + string(next))
			break
		}
	}
	return nil
}

// setTheme switches to the theme with a name.
func setTheme(ws *workspace.Workspace, name string) tea.Cmd {
	n := theme.Name(name)
	if name == config.ThemeAuto {
		ws.Options.Settings.Theme = name
		ws.Log.Say("theme: dark or light, like the terminal")
		return tea.RequestBackgroundColor
	}
	if !slices.Contains(theme.Names, n) {
		ws.Log.Say(fmt.Sprintf("there is no theme %q; there are dark, light, high-contrast, none and auto", cells.Prose(name)))
		return nil
	}
	ws.Styles, ws.Options.Settings.Theme = theme.StylesOf(n), name
	ws.Log.Say("theme: " + name)
	return nil
}

func toggleMouse(ws *workspace.Workspace) tea.Cmd {
	ws.Options.Settings.Mouse = !ws.Options.Settings.Mouse
	if ws.Options.Settings.Mouse {
		ws.Log.Say("the mouse works in the workbench")
	} else {
		ws.Log.Say("the mouse belongs to the terminal, to select and copy text")
	}
	return nil
}

// onlyMatches shows only the rows that were found, or all rows again.
func onlyMatches(ws *workspace.Workspace) tea.Cmd {
	o := ws.Listing.Order
	o.Only = !o.Only
	return ws.Reorder(o)
}

func onlyRefusal(ws *workspace.Workspace) string {
	if ws.Listing.Order.Only {
		return ""
	}
	return ws.MatchRefusal()
}

// nextMatch goes to the next row that was found.
func nextMatch(by int) func(*workspace.Workspace) tea.Cmd {
	return func(ws *workspace.Workspace) tea.Cmd { return ws.NextMatch(by) }
}
