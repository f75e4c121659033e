package rewrite

// unshadow gives values of bodies other names where they would be taken for values of
// the graphs around that are read in there. Others keep their names, although values
// around may have the same: there are operators that look for inputs and outputs of
// their bodies by name, and runtimes that take such models.
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

// clear has no graph from the one that reads a value up to where it is defined call
// another value alike.
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
