package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/tui/shell"
)

// showValue computes and shows the values of the selected row.
func (ws *workspace) showValue() tea.Cmd { return ws.showRun(ws.newValueStep()) }

func (ws *workspace) showRun(s *valueStep) tea.Cmd {
	ws.host.Look(placeTensor)
	return ws.runValue(s)
}

func (ws *workspace) showRefusal() string { return ws.valueRefusal(ws.row()) }

// takeValueForm runs with the options of the form.
func (ws *workspace) takeValueForm(s *valueStep) tea.Cmd {
	v := &ws.values
	v.call = session.CallOf(s)
	if n := len(ws.jobs.list); n > 0 {
		v.callAfter = ws.jobs.list[n-1].ID
	}
	return ws.showRun(s)
}

// valueBefore goes to the node that makes the inputs of this row, and shows its values.
func (ws *workspace) valueBefore() tea.Cmd { return ws.walkTo(ws.producers()) }

// valueAfter goes to the node that reads the values of this row, and shows its values.
func (ws *workspace) valueAfter() tea.Cmd { return ws.walkTo(ws.consumers()) }

// walk goes along the only edge and computes the values there. If there are several edges, it asks
// which one.
func (ws *workspace) walkTo(edges []edge) tea.Cmd {
	goTo := func(e edge) tea.Cmd {
		cmd := ws.jump(e.spot)
		if why := ws.showRefusal(); why != "" {
			ws.log.Say(why)
			return cmd
		}
		return tea.Batch(cmd, ws.showValue())
	}
	if len(edges) == 1 {
		return goTo(edges[0])
	}
	choices := make([]shell.Choice, len(edges))
	for i, e := range edges {
		choices[i] = shell.Choice{Label: ws.choiceOf(e), Do: func() tea.Cmd { return goTo(e) }}
	}
	ws.host.Open(shell.NewChooseDialog(ws.host, "value of", choices))
	return nil
}

func (ws *workspace) beforeRefusal() string {
	if why := ws.producersRefusal(); why != "" {
		return why
	}
	return ws.showRefusal()
}

func (ws *workspace) afterRefusal() string {
	if why := ws.consumersRefusal(); why != "" {
		return why
	}
	return ws.showRefusal()
}
