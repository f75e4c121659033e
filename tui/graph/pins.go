package graph

import (
	"slices"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// PinsIn returns the findings of a step as lines of a list, with the rows of the model m that they
// are about.
func PinsIn(m *graphops.Model, list []session.Finding) []Finding {
	outlines := map[*graphops.Place]*Outline{}
	out := make([]Finding, len(list))
	for i, f := range list {
		o := outlines[f.Place]
		if o == nil {
			o = NewOutline(m, f.Place)
			outlines[f.Place] = o
		}
		row := o.NodeRow(f.Node)
		out[i] = Finding{
			Spot: Spot{f.Place, row}, Where: o.Called(row),
			Text: cells.Prose(f.Text), Note: "repair: " + cells.Prose(f.Remedy), Looks: theme.Warning,
		}
		if f.IsMended {
			out[i].Text, out[i].Note, out[i].Looks = out[i].Text+", repaired", cells.Prose(f.Remedy), theme.Plain
		}
	}
	return out
}

// Carried returns a finding for the same node in another model m, which was derived from the
// finding's model. It returns false if m has no such node.
func Carried(m *graphops.Model, f session.Finding) (session.Finding, bool) {
	p, err := m.FindPlace(f.Place.Hops())
	if err != nil {
		return f, false
	}
	node := f.Place.Graph.Nodes()[f.Node]
	f.Place, f.Node = p, slices.IndexFunc(p.Graph.Nodes(), func(n *graphops.Node) bool { return n == node })
	if f.Node < 0 {
		f.Node = slices.IndexFunc(p.Graph.Nodes(), func(n *graphops.Node) bool { return SameWork(n, node) })
	}
	return f, f.Node >= 0
}

// SpotsOf returns the rows of findings. Findings without a row are left out.
func SpotsOf(list []Finding) []Spot {
	var out []Spot
	for i := range list {
		if list[i].Leads() {
			out = append(out, list[i].Spot)
		}
	}
	return out
}
