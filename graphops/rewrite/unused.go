package rewrite

import "slices"

// Lifted returns the Constant nodes whose tensors Load turned into constants of their graphs, and
// clears the list. In a function, which has no initializers, they become nodes again when the model
// is stored.
func (m *Model) Lifted() []Site {
	out := m.lifted
	m.lifted = nil
	return out
}

// DropUnused removes the unused constants of the graph, which Store leaves out, and returns their
// names. A constant that is the default of an input is kept.
func (g *Graph) DropUnused() []string {
	var names []string
	g.constants = slices.DeleteFunc(g.constants, func(v *Value) bool {
		gone := v.Uses() == 0 && !v.overridable && (!v.input || g.IsMain())
		if gone {
			names = append(names, v.name)
		}
		return gone
	})
	if names != nil {
		g.model.stored = nil
	}
	return names
}
