package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/shell"
)

// showValue computes and shows the values of the selected row.
func showValue(ws *workspace) tea.Cmd { return showRun(ws, newValueStep(ws)) }

// valueBefore goes to the node that makes the inputs of this row, and shows its values.
func valueBefore(ws *workspace) tea.Cmd { return walkTo(ws, producers(ws)) }

// valueAfter goes to the node that reads the values of this row, and shows its values.
func valueAfter(ws *workspace) tea.Cmd { return walkTo(ws, consumers(ws)) }

// walk goes along the only edge and computes the values there. If there are several edges, it asks
// which one.
func walkTo(ws *workspace, edges []edge) tea.Cmd {
	goTo := func(e edge) tea.Cmd {
		cmd := ws.jump(e.Spot)
		if why := showRefusal(ws); why != "" {
			ws.log.Say(why)
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
	ws.host.Open(shell.NewChooseDialog(ws.host, "value of", choices))
	return nil
}

func beforeRefusal(ws *workspace) string {
	if why := producersRefusal(ws); why != "" {
		return why
	}
	return showRefusal(ws)
}

func afterRefusal(ws *workspace) string {
	if why := consumersRefusal(ws); why != "" {
		return why
	}
	return showRefusal(ws)
}
