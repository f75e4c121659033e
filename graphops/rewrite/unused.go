package rewrite

import "slices"

// Lifted returns the Constant nodes of the loaded model that Load turned into constants, and clears
// this list. Functions have no initializers, so in a function they become nodes again when the
// model is stored.
func (m *Model) Lifted() []Site {
	out := m.lifted
	m.lifted = nil
	return out
}

// DropUnused removes the unused constants of the graph and returns their names. (Store would leave
// them out anyway.) A constant that is the default of an input is kept.
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
		g.model.discard()
	}
	return names
}
