package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/graph"
	"lathe/tui/shell"
)

// takePins stores the pins that a step has left in the model, so that they can be listed later.
func takePins(ws *workspace, r session.Result) tea.Cmd {
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
	if ws.pins == nil {
		ws.pins = map[*graphops.Model][]graph.Finding{}
	}
	ws.pins[r.Model] = graph.PinsIn(r.Model, left)
	if len(left) == 0 {
		return nil
	}
	return ws.standOut("pins", graph.SpotsOf(ws.pins[r.Model]))
}

// leavable is a preview that can be set aside while the person looks at a node in it. A key opens
// it again.
type leavable interface {
	shell.Dialog
	// About returns the model that is previewed.
	About() *graphops.Model
}

// putAside returns the preview that was set aside, or nil if there is none for this model.
func putAside(ws *workspace) leavable {
	if ws.aside == nil || ws.aside.About() != ws.model() {
		return nil
	}
	return ws.aside
}

// forget closes a preview for good.
func dismiss(ws *workspace, d leavable) {
	if ws.aside == d {
		ws.aside = nil
	}
	ws.host.Close(d)
}
