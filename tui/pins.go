package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/theme"
)

// pinsIn returns the findings of a step as lines of a list, with the rows of the model m that they
// are about.
func pinsIn(m *graphops.Model, list []session.Finding) []finding {
	outlines := map[*graphops.Place]*outline{}
	out := make([]finding, len(list))
	for i, f := range list {
		o := outlines[f.Place]
		if o == nil {
			o = newOutline(m, f.Place)
			outlines[f.Place] = o
		}
		row := o.nodeRow(f.Node)
		out[i] = finding{
			spot: spot{f.Place, row}, where: o.called(row),
			text: cells.Prose(f.Text), note: "repair: " + cells.Prose(f.Remedy), looks: theme.Warning,
		}
		if f.IsMended {
			out[i].text, out[i].note, out[i].looks = out[i].text+", repaired", cells.Prose(f.Remedy), theme.Plain
		}
	}
	return out
}

// takePins stores the pins that a step has left in the model, so that they can be listed later.
func takePins(ws *workspace, r session.Result) tea.Cmd {
	report, ok := r.Report.(session.Finder)
	if !ok {
		return nil
	}
	var left []session.Finding
	for _, f := range report.Findings() {
		if g, ok := carried(r.Model, f); ok && !f.IsMended {
			left = append(left, g)
		}
	}
	if ws.pins == nil {
		ws.pins = map[*graphops.Model][]finding{}
	}
	ws.pins[r.Model] = pinsIn(r.Model, left)
	if len(left) == 0 {
		return nil
	}
	return ws.standOut("pins", spotsOf(ws.pins[r.Model]))
}

// carried returns a finding for the same node in another model m, which was derived from the
// finding's model. It returns false if m has no such node.
func carried(m *graphops.Model, f session.Finding) (session.Finding, bool) {
	p, err := m.FindPlace(f.Place.Hops())
	if err != nil {
		return f, false
	}
	node := f.Place.Graph.Nodes()[f.Node]
	f.Place, f.Node = p, slices.IndexFunc(p.Graph.Nodes(), func(n *graphops.Node) bool { return n == node })
	if f.Node < 0 {
		f.Node = slices.IndexFunc(p.Graph.Nodes(), func(n *graphops.Node) bool { return sameWork(n, node) })
	}
	return f, f.Node >= 0
}

// spotsOf returns the rows of findings. Findings without a row are left out.
func spotsOf(list []finding) []spot {
	var out []spot
	for i := range list {
		if list[i].leads() {
			out = append(out, list[i].spot)
		}
	}
	return out
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
