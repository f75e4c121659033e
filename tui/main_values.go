package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/shell"
	"lathe/tui/values"
	"lathe/tui/workspace"
)

// showValue computes and shows the values of the selected row.
func showValue(ws *workspace.Workspace) tea.Cmd { return values.ShowRun(ws, values.NewStep(ws)) }

// valueBefore goes to the node that makes the inputs of this row, and shows its values.
func valueBefore(ws *workspace.Workspace) tea.Cmd { return walkTo(ws, producers(ws)) }

// valueAfter goes to the node that reads the values of this row, and shows its values.
func valueAfter(ws *workspace.Workspace) tea.Cmd { return walkTo(ws, consumers(ws)) }

// walk goes along the only edge and computes the values there. If there are several edges, it asks
// which one.
func walkTo(ws *workspace.Workspace, edges []edge) tea.Cmd {
	goTo := func(e edge) tea.Cmd {
		cmd := ws.Jump(e.Spot)
		if why := values.ShowRefusal(ws); why != "" {
			ws.Log.Say(why)
			return cmd
		}
		return tea.Batch(cmd, showValue(ws))
	}
	if len(edges) == 1 {
		return goTo(edges[0])
	}
	choices := make([]shell.Choice, len(edges))
	for i, e := range edges {
		choices[i] = shell.Choice{Label: choiceOf(ws, e), Do: func() tea.Cmd { return goTo(e) }}
	}
	ws.Host.Open(shell.NewChooseDialog(ws.Host, "value of", choices))
	return nil
}

func beforeRefusal(ws *workspace.Workspace) string {
	if why := producersRefusal(ws); why != "" {
		return why
	}
	return values.ShowRefusal(ws)
}

func afterRefusal(ws *workspace.Workspace) string {
	if why := consumersRefusal(ws); why != "" {
		return why
	}
	return values.ShowRefusal(ws)
}
