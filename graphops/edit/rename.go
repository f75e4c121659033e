package edit

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// Rename is an old and a new name.
type Rename struct{ From, To string }

// RenameOptions say which values and nodes get new names.
type RenameOptions struct {
	// Values are renamed in the whole place, and in the bodies that read them.
	Values []Rename
	// Nodes are given by name, or by # and position.
	Nodes []Rename
}

// Names renames values and nodes of a place. Two names can be swapped in one call. It returns an
// error if something else that can be seen from the place has the new name.
func Names(m *graphops.Model, p *graphops.Place, o RenameOptions) (*graphops.Model, *Report, error) {
	for _, r := range slices.Concat(o.Values, o.Nodes) {
		if err := checkText(r.To); err != nil {
			return nil, nil, fmt.Errorf("name %w", err)
		}
	}
	e := begin(m, p)
	if err := e.renameNodes(o.Nodes); err != nil {
		return nil, nil, err
	}
	names, err := e.valueNames(o.Values)
	if err != nil {
		return nil, nil, err
	}
	if len(names) > 0 {
		e.next = graphops.EditGraph(e.next.Graph().Renamed(names))
	}
	next, report := e.finish()
	return next, report, nil
}

func (e *edit) renameNodes(list []Rename) error {
	positions := make([]int, len(list))
	leaving := map[string]bool{}
	for i, r := range list {
		at, err := e.node(r.From)
		if err != nil {
			return err
		}
		positions[i] = at
		leaving[e.graph.Nodes()[at].Name()] = true
	}
	taken := map[string]bool{}
	for _, n := range e.graph.Nodes() {
		taken[n.Name()] = n.Name() != "" && !leaving[n.Name()]
	}
	for i, r := range list {
		if taken[r.To] {
			return fmt.Errorf("node %q: cannot be named %q, another node has that name and a runtime refuses two", r.From, r.To)
		}
		taken[r.To] = r.To != ""
		at := positions[i]
		e.report.changed("node", e.graph.Nodes()[at].Name(), e.graph.Nodes()[at].Name(), r.To)
		e.next.Nodes[at] = e.next.Nodes[at].WithName(r.To)
	}
	return nil
}

// valueNames checks the new names of values, and returns them by old name.
func (e *edit) valueNames(list []Rename) (map[string]string, error) {
	names := map[string]string{}
	for _, r := range list {
		id, err := e.index.Lookup("value", r.From)
		switch _, twice := names[r.From]; {
		case err != nil:
			return nil, err
		case twice:
			return nil, fmt.Errorf("value %q: is given two names", r.From)
		case r.To == "":
			return nil, fmt.Errorf("value %q: the empty name means a value that is left out; give another", r.From)
		case !e.index.IsDefined(id):
			return nil, fmt.Errorf("value %q: is defined outside %q; rename it where it is defined", r.From, e.place)
		}
		names[r.From] = r.To
		e.report.changed(e.kindOf(id), r.From, r.From, r.To)
		e.warnPort(id)
	}
	taken := e.visibleNames(names)
	for _, r := range list {
		if where, ok := taken[r.To]; ok {
			return nil, fmt.Errorf("value %q: cannot be named %q, %s has that name", r.From, r.To, where)
		}
		taken[r.To] = fmt.Sprintf("what was %q", r.From)
	}
	return names, nil
}

// warnPort warns if the value is an input or output of a body, and the enclosing node may identify
// it by its name.
func (e *edit) warnPort(id graphops.ValueID) {
	if e.place.PortsByName() && e.place.IsPort(id) {
		e.report.warn("node %s may identify %s %q of its body by that name, and refuse another one",
			nodeLabel(e.place.Parent.Graph, e.place.Node), e.kindOf(id), e.index.Name(id))
	}
}

// kindOf returns what kind of value it is in its graph: initializer, input, output or value.
func (e *edit) kindOf(id graphops.ValueID) string {
	switch {
	case e.index.IsInitializer(id):
		return "initializer"
	case e.index.IsInput(id):
		return "input"
	case e.index.IsOutput(id):
		return "output"
	default:
		return "value"
	}
}

// visibleNames returns the names that a value of the place must not get, with what has them: other
// values of the place, of places that enclose it, and of bodies inside it, which would hide it. The
// names in leaving are free.
func (e *edit) visibleNames(leaving map[string]string) map[string]string {
	taken := map[string]string{}
	addNames(taken, e.graph, "another value")
	for from := range leaving {
		delete(taken, from)
	}
	for around := e.place.Parent; around != nil; around = around.Parent {
		addNames(taken, around.Graph, "a value in an enclosing graph")
	}
	var below func(p *graphops.Place)
	below = func(p *graphops.Place) {
		for _, b := range p.Bodies {
			addNames(taken, b.Graph, fmt.Sprintf("a value in %q", b))
			below(b)
		}
	}
	below(e.place)
	return taken
}

// addNames adds the names of the values that a graph defines itself to taken.
func addNames(taken map[string]string, g *graphops.Graph, where string) {
	x := g.Index()
	for v := range x.Values() {
		id := graphops.ValueID(v)
		if name := x.Name(id); x.IsDefined(id) && taken[name] == "" {
			taken[name] = where
		}
	}
}
