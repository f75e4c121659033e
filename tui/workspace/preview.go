package workspace

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/graph"
	"lathe/tui/shell"
)

// takePins stores the pins that a step has left in the model, so that they can be listed later.
func takePins(ws *Workspace, r session.Result) tea.Cmd {
	report, ok := r.Report.(session.Finder)
	if !ok {
		return nil
	}
	var left []session.Finding
	for _, f := range report.Findings() {
		if g, ok := graph.Carried(r.Model, f); ok && !f.IsMended {
			left = append(left, g)
		}
	}
	if ws.Pins == nil {
		ws.Pins = map[*graphops.Model][]graph.Finding{}
	}
	ws.Pins[r.Model] = graph.PinsIn(r.Model, left)
	if len(left) == 0 {
		return nil
	}
	return ws.StandOut("fixed sizes", graph.SpotsOf(ws.Pins[r.Model]))
}

// leavable is a preview that can be set aside while the person looks at a node in it. A key opens
// it again.
type leavable interface {
	shell.Dialog
	// About returns the model that is previewed.
	About() *graphops.Model
}

// PutAside returns the preview that was set aside, or nil if there is none for this model.
func PutAside(ws *Workspace) leavable {
	if ws.Aside == nil || ws.Aside.About() != ws.Model() {
		return nil
	}
	return ws.Aside
}

// Forget closes a preview for good.
func Dismiss(ws *Workspace, d leavable) {
	if ws.Aside == d {
		ws.Aside = nil
	}
	ws.Host.Close(d)
}
