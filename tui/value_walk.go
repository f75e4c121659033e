package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/session"
)

// showValue computes and shows the values of the selected row.
func (a *App) showValue() tea.Cmd { return a.runValue(a.ws.newValueStep()) }

func (a *App) runValue(s *valueStep) tea.Cmd {
	a.look(placeTensor)
	return a.ws.runValue(s)
}

func (ws *workspace) showRefusal() string { return ws.valueRefusal(ws.row()) }

// openValueForm opens the form with the options for computing values.
func (a *App) openValueForm() tea.Cmd { return a.openFormOf(a.ws.newValueStep(), nil) }

// takeValueForm runs with the options of the form.
func (a *App) takeValueForm(s *valueStep) tea.Cmd {
	v := &a.ws.values
	v.call = session.CallOf(s)
	if n := len(a.ws.jobs.list); n > 0 {
		v.callAfter = a.ws.jobs.list[n-1].ID
	}
	return a.runValue(s)
}

// valueBefore goes to the node that makes the inputs of this row, and shows its values.
func (a *App) valueBefore() tea.Cmd { return a.walk(a.ws.producers()) }

// valueAfter goes to the node that reads the values of this row, and shows its values.
func (a *App) valueAfter() tea.Cmd { return a.walk(a.ws.consumers()) }

// walk goes along the only edge and computes the values there. If there are several edges, it asks
// which one.
func (a *App) walk(edges []edge) tea.Cmd {
	goTo := func(e edge) tea.Cmd {
		cmd := a.ws.jump(e.spot)
		if why := a.ws.showRefusal(); why != "" {
			a.ws.log.say(why)
			return cmd
		}
		return tea.Batch(cmd, a.showValue())
	}
	if len(edges) == 1 {
		return goTo(edges[0])
	}
	choices := make([]choice, len(edges))
	for i, e := range edges {
		choices[i] = choice{a.ws.choiceOf(e), func() tea.Cmd { return goTo(e) }}
	}
	a.dialogs.open(newChooseDialog(a, "value of", choices))
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
