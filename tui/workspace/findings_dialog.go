package workspace

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
)

// PlaceFindings is the place of a list of findings.
const PlaceFindings actions.Place = "findings"

// FindingsActions are the actions of a list of findings.
func FindingsActions() []actions.Action {
	type it = *FindingsDialog
	return shell.Closable("close", shell.Shut[it], func(d it, m list.Motion) { d.Rows.Act(m) }, []actions.Row[it]{
		actions.New(shell.ActionAccept, "go there", actions.Keys("enter"), func(d it) tea.Cmd { return GoToFinding(d.WS, d, d.At()) }, it.acceptRefusal),
	})
}

// FindingsDialog lists findings about the model. Their rows are also highlighted, so that a key can
// go from one to the next without the dialog.
type FindingsDialog struct {
	Attached
	what  string // what the findings are
	model *graphops.Model
	graph.FindingList
}

// OpenFindings lists findings and highlights their rows. what names them in the status line.
func OpenFindings(ws *Workspace, what string, list []graph.Finding) tea.Cmd {
	d := &FindingsDialog{Attached: Attached{ws}, what: what, model: ws.Model()}
	d.Set(list)
	ws.Host.Open(d)
	return ws.StandOut(what, d.Spots())
}

// Place implements shell.Pane.
func (d *FindingsDialog) Place() actions.Place { return PlaceFindings }

// Title implements shell.Dialog.
func (d *FindingsDialog) Title() string { return d.what }

// Box implements shell.Dialog.
func (d *FindingsDialog) Box(s shell.Screen) cells.Rect { return s.Body }

// View implements shell.Pane.
func (d *FindingsDialog) View(bool) []string { return d.FindingList.View(d.WS.Styles) }

// Wheeled implements shell.Pointed.
func (d *FindingsDialog) Wheeled(by int) { d.Rows.Scroll(by) }

func (d *FindingsDialog) acceptRefusal() string {
	if d.model != d.WS.Model() {
		return "the model has changed since then"
	}
	return actions.Unless(d.At().Leads(), graph.NoNode)
}

// Sync implements shell.Pane.
func (d *FindingsDialog) Sync(w, h int) tea.Cmd {
	d.Resize(w, h)
	return nil
}

// Clicked implements shell.Pointed. A click selects the finding, and on the selected one it goes to its
// row.
func (d *FindingsDialog) Clicked(_, y int) tea.Cmd {
	if d.PointAt(y) {
		return d.WS.Host.Perform(d, shell.ActionAccept)
	}
	return nil
}

// GoToFinding closes the dialog and goes to the row of a finding. The detail is shown beside it if
// there is room.
func GoToFinding(ws *Workspace, d shell.Dialog, f *graph.Finding) tea.Cmd {
	if f == nil {
		return nil
	}
	ws.Host.Close(d)
	ws.Host.Look(PlaceNodes)
	return ws.Jump(f.Spot)
}
