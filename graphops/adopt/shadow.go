package adopt

import (
	"slices"

	"lathe/graphops"
)

// unshadowed renames values defined in bodies if a graph around the body has a value of the same
// name. ONNX Runtime 1.30.0 creates such names when it inlines several calls of a function, and
// then cannot load the model that it wrote.
func unshadowed(m *graphops.Model) *graphops.Model {
	var names *graphops.Names
	return m.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		if p.Kind != graphops.BodyGraph {
			return false
		}
		renamed := map[string]string{}
		for name := range defined(p) {
			if !around(p, name) {
				continue
			}
			if names == nil {
				names = graphops.NamesOf(m)
			}
			renamed[name] = names.Value(name)
		}
		if len(renamed) == 0 {
			return false
		}
		g := e.Graph().Renamed(renamed)
		e.Nodes, e.Initializers, e.Sparse = slices.Clone(g.Nodes()), slices.Clone(g.Initializers()), slices.Clone(g.SparseInitializers())
		e.Inputs, e.Outputs, e.ValueInfo = slices.Clone(g.Inputs()), slices.Clone(g.Outputs()), slices.Clone(g.ValueInfo())
		return true
	})
}

// defined iterates over the names that a body defines, in order. If the node identifies the inputs
// and outputs of its body by name, these names are left out, because they must not change.
func defined(p *graphops.Place) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		x := p.Graph.Index()
		for id := range graphops.ValueID(x.Values()) {
			if p.PortsByName() && p.IsPort(id) {
				continue
			}
			if name := x.Name(id); name != "" && x.IsDefined(id) && !yield(name) {
				return
			}
		}
	}
}

// around reports whether a graph that encloses the body defines the name.
func around(p *graphops.Place, name string) bool {
	for outer := p.Parent; outer != nil; outer = outer.Parent {
		x := outer.Graph.Index()
		if id, ok := x.Value(name); ok && x.IsDefined(id) {
			return true
		}
	}
	return false
}
