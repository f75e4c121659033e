package rewrite

// unshadow renames values of bodies that would hide a value around them which is read inside. Other
// values keep their names, even if a value around has the same, because some operators identify
// inputs and outputs of their bodies by name, and runtimes accept such models.
func (m *Model) unshadow() {
	named := map[*Graph]map[string]*Value{}
	for _, g := range m.Graphs() {
		if g.holder == nil {
			continue
		}
		for n := g.first; n != nil; n = n.next {
			for _, v := range n.in {
				if v != nil && v.graph != g {
					m.clear(v, g, named)
				}
			}
		}
	}
}

// clear makes sure that no graph between the reader of a value and its definition has another value
// with the same name.
func (m *Model) clear(v *Value, from *Graph, named map[*Graph]map[string]*Value) {
	for g := from; g != v.graph; g = g.around() {
		if named[g] == nil {
			named[g] = map[string]*Value{}
			for _, w := range g.defined() {
				named[g][w.name] = w
			}
		}
		if w := named[g][v.name]; w != nil && (w.constant == nil || w.Uses() > 0) {
			delete(named[g], w.name)
			w.name = m.names.Value(w.name)
			named[g][w.name] = w
		}
	}
}
