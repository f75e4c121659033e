package rewrite

// unshadow renames values in bodies that have the same name as a value around the body that is read
// inside the body. Other values keep their names, even if a value around them has the same name:
// runtimes accept such models, and some operators identify inputs and outputs of their bodies by
// name.
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

// clear renames values that have the same name as v and are defined between its definition and a
// graph that reads it, which is from.
func (m *Model) clear(v *Value, from *Graph, named map[*Graph]map[string]*Value) {
	for g := from; g != v.graph; g = g.around() {
		if named[g] == nil {
			named[g] = map[string]*Value{}
			for _, w := range g.Values() {
				named[g][w.name] = w
			}
		}
		if w := named[g][v.name]; w != nil && w.isStored() {
			delete(named[g], w.name)
			w.name = m.Names().Value(w.name)
			named[g][w.name] = w
		}
	}
}
