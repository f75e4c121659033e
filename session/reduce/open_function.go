package reduce

import (
	"slices"

	"lathe/graphops"
)

// ofFunction opens a call. It returns nil if an input is left out, or if the function imports
// another version of a domain than the model.
func ofFunction(m *graphops.Model, call *graphops.Node, f *graphops.Function) *opening {
	o := &opening{takes: map[string]string{}}
	formal, given := f.Graph().Inputs(), call.Inputs()
	if len(given) < len(formal) || slices.Contains(given, "") {
		return nil
	}
	for i, v := range formal {
		o.takes[v.Name()] = given[i]
	}
	for _, s := range f.Opsets() {
		version, ok := m.Opset(s.Domain)
		switch {
		case !ok:
			o.opsets = append(o.opsets, s)
		case version != s.Version:
			return nil
		}
	}
	e := graphops.EditGraph(f.Graph())
	e.Nodes = bound(e.Nodes, attributesOf(call, f))
	o.body = e.Graph()
	return o
}

// attributesOf returns the values of a function's attributes in a call, by name.
func attributesOf(call *graphops.Node, f *graphops.Function) map[string]*graphops.Attribute {
	out := map[string]*graphops.Attribute{}
	for _, list := range [][]*graphops.Attribute{f.DefaultAttributes(), call.Attributes()} {
		for _, a := range list {
			out[a.Name()] = a
		}
	}
	return out
}

// bound replaces references to attributes by their values. Attributes without a value are removed.
func bound(nodes []*graphops.Node, values map[string]*graphops.Attribute) []*graphops.Node {
	out := make([]*graphops.Node, len(nodes))
	for i, n := range nodes {
		var attrs []*graphops.Attribute
		for _, a := range n.Attributes() {
			if ref := a.RefName(); ref != "" {
				v, ok := values[ref]
				if !ok {
					continue
				}
				a = a.WithValueOf(v)
			} else if graphs := a.Graphs(); len(graphs) > 0 {
				inner := make([]*graphops.Graph, len(graphs))
				for k, g := range graphs {
					e := graphops.EditGraph(g)
					e.Nodes = bound(e.Nodes, values)
					inner[k] = e.Graph()
				}
				a = a.WithGraphs(inner)
			}
			attrs = append(attrs, a)
		}
		if out[i] = n; len(n.Attributes()) > 0 {
			out[i] = n.WithAttributes(attrs)
		}
	}
	return out
}
