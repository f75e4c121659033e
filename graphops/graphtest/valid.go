package graphtest

import (
	"fmt"

	"lathe/graphops"
)

// Problems lists structural problems of a model: names that are read but not defined, names that
// are defined twice, nodes in an impossible order, calls of functions that do not exist, and
// missing imports. It does not know what operators require.
func Problems(m *graphops.Model) []string {
	var out []string
	say := func(p *graphops.Place, format string, args ...any) {
		out = append(out, fmt.Sprintf("%q: ", p.String())+fmt.Sprintf(format, args...))
	}
	functions := map[graphops.FunctionKey]bool{}
	for _, f := range m.Functions() {
		if functions[f.Key()] {
			out = append(out, fmt.Sprintf("function %v is there twice", f.Key()))
		}
		functions[f.Key()] = true
	}
	for _, p := range m.Places() {
		x := p.Graph.Index()
		for _, name := range append(x.Duplicates, x.Overruled...) {
			say(p, "%q is defined twice", name)
		}
		for _, c := range p.Captures() {
			if c.From == nil {
				say(p, "%q is defined nowhere", x.Name(c.Value))
			}
		}
		for _, v := range p.Graph.Outputs() {
			if id, _ := x.Value(v.Name()); !x.IsDefined(id) && p.Kind != graphops.BodyGraph {
				say(p, "output %q is not its own", v.Name())
			}
		}
		if order, err := p.Graph.Order(); err != nil {
			say(p, "%v", err)
		} else {
			for i, at := range order {
				if i != at {
					say(p, "node %d stands where %d should", i, at)
					break
				}
			}
		}
		for _, s := range shadowed(p) {
			say(p, "%q is defined around it too", s)
		}
		names := map[string]bool{}
		for i, n := range p.Graph.Nodes() {
			if names[n.Name()] {
				say(p, "two nodes are named %q", n.Name())
			}
			names[n.Name()] = n.Name() != ""
			if !functions[n.Calls()] && !imported(m, p, n.Domain()) {
				say(p, "node %d needs domain %q, which is not imported", i, n.Domain())
			}
		}
		for _, v := range p.Graph.ValueInfo() {
			if id, ok := x.Value(v.Name()); !ok || !x.IsDefined(id) {
				say(p, "value_info of %q, which is not there", v.Name())
			}
		}
	}
	return out
}

// shadowed returns the outputs of the place's nodes that have the name of a value around it.
func shadowed(p *graphops.Place) []string {
	var out []string
	for _, n := range p.Graph.Nodes() {
		for _, o := range n.Outputs() {
			for around := p.Parent; around != nil && o != ""; around = around.Parent {
				x := around.Graph.Index()
				if id, ok := x.Value(o); ok && x.IsDefined(id) {
					out = append(out, o)
				}
			}
		}
	}
	return out
}

func imported(m *graphops.Model, p *graphops.Place, domain string) bool {
	if p.Function != nil {
		_, ok := p.Function.Opset(domain)
		return ok
	}
	_, ok := m.Opset(domain)
	return ok
}
