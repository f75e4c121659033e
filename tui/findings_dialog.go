package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
)

const placeFindings actions.Place = "findings"

func findingsActions() []actions.Action {
	type it = *findingsDialog
	return shell.Closable("close", shell.Shut[it], func(d it, m list.Motion) { d.Rows.Act(m) }, []actions.Row[it]{
		actions.New(shell.ActionAccept, "go there", actions.Keys("enter"), func(d it) tea.Cmd { return goToFinding(d.ws, d, d.At()) }, it.acceptRefusal),
	})
}

// findingsDialog lists findings about the model. Their rows are also highlighted, so that a key can
// go from one to the next without the dialog.
type findingsDialog struct {
	attached
	what  string // what the findings are
	model *graphops.Model
	graph.FindingList
}

func openFindings(ws *workspace, what string, list []graph.Finding) tea.Cmd {
	d := &findingsDialog{attached: attached{ws}, what: what, model: ws.model()}
	d.Set(list)
	ws.host.Open(d)
	return ws.standOut(what, d.Spots())
}

func (d *findingsDialog) Place() actions.Place { return placeFindings }

func (d *findingsDialog) Title() string { return d.what }

func (d *findingsDialog) Box(s shell.Screen) cells.Rect { return s.Body }

func (d *findingsDialog) View(bool) []string { return d.FindingList.View(d.ws.styles) }

func (d *findingsDialog) Wheeled(by int) { d.Rows.Scroll(by) }

func (d *findingsDialog) acceptRefusal() string {
	if d.model != d.ws.model() {
		return "the model has changed since then"
	}
	return actions.Unless(d.At().Leads(), graph.NoNode)
}

func (d *findingsDialog) Sync(w, h int) tea.Cmd {
	d.Resize(w, h)
	return nil
}

// Clicked implements pointed. A click selects the finding, and on the selected one it goes to its
// row.
func (d *findingsDialog) Clicked(_, y int) tea.Cmd {
	if d.PointAt(y) {
		return d.ws.host.Perform(d, shell.ActionAccept)
	}
	return nil
}

// goToFinding closes the dialog and goes to the row of a finding. The detail is shown beside it if
// there is room.
func goToFinding(ws *workspace, d shell.Dialog, f *graph.Finding) tea.Cmd {
	if f == nil {
		return nil
	}
	ws.host.Close(d)
	ws.host.Look(placeNodes)
	return ws.jump(f.Spot)
}
