package edit

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// Rename is an old and a new name.
type Rename struct{ From, To string }

// RenameOptions say what is renamed.
type RenameOptions struct {
	// Values are renamed wherever the place or a body in it refers to them: as inputs and outputs
	// of the graph, in nodes, initializers, value_info and annotations.
	Values []Rename
	// Nodes are given by name, or by # and position.
	Nodes []Rename
}

// Names renames values and nodes of a place. Names can be swapped in one call. A name that
// something visible from there already has is refused.
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

// valueNames checks the renames of values and returns them as a map.
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
			return nil, fmt.Errorf("value %q: comes from around %q; rename it where it is made", r.From, e.place)
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

// warnPort warns about an operator that may identify a value of its body by name.
func (e *edit) warnPort(id graphops.ValueID) {
	if e.place.PortsByName() && e.place.IsPort(id) {
		e.report.warn("node %s may look for %s %q of its body by that name, and refuse another one",
			nodeLabel(e.place.Parent.Graph, e.place.Node), e.kindOf(id), e.index.Name(id))
	}
}

// kindOf returns what a value is in its graph, in the terms of the format.
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

// visibleNames returns the names that values of the place cannot get, with where each occurs: names
// of other values in the place, around it, and in bodies inside, which would hide the renamed
// value. Names that are being changed are free.
func (e *edit) visibleNames(leaving map[string]string) map[string]string {
	taken := map[string]string{}
	addNames(taken, e.graph, "another value")
	for from := range leaving {
		delete(taken, from)
	}
	for around := e.place.Parent; around != nil; around = around.Parent {
		addNames(taken, around.Graph, "a value around it")
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

// addNames adds the names that a graph defines itself.
func addNames(taken map[string]string, g *graphops.Graph, where string) {
	x := g.Index()
	for v := range x.Values() {
		id := graphops.ValueID(v)
		if name := x.Name(id); x.IsDefined(id) && taken[name] == "" {
			taken[name] = where
		}
	}
}
