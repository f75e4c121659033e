package rewrite

import "slices"

// Lifted lists the Constant nodes whose tensors Load made constants of their graphs,
// and forgets them. In a function, which has no initializers, they are nodes again
// when the model is stored.
func (m *Model) Lifted() []Site {
	out := m.lifted
	m.lifted = nil
	return out
}

// DropUnused forgets the constants of the graph that nothing uses, which Store
// leaves out, and gives their names. An input keeps its constant where whoever runs
// the model can leave it out.
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
