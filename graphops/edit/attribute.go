package edit

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
)

// AttributeSetting is an attribute to set, as a user types it.
type AttributeSetting struct {
	Name string
	// Kind is the kind of the new attribute. If it is AttrUndefined, the kind is that of the
	// existing attribute. If there is none, it is the kind that the operator declares, and
	// otherwise the kind that the text looks like.
	Kind graphops.AttributeKind
	// Ref makes the attribute refer to an attribute of the enclosing function, whose name is Text.
	Ref  bool
	Text string
}

// AttributeOptions say which attributes of the given nodes are set and removed.
type AttributeOptions struct {
	Nodes  []string // by name, or by # and position
	Set    []AttributeSetting
	Remove []string
	Typing
}

// Attributes sets and removes attributes of nodes. Recorded types of values that depend on the
// attributes may be wrong then; Typing says what happens to them.
func Attributes(ctx context.Context, m *graphops.Model, p *graphops.Place, o AttributeOptions) (*graphops.Model, *Report, error) {
	e := &attributes{edit: begin(m, p), changed: map[int]*graphops.Node{}}
	e.report.NodesAfter = e.report.NodesBefore
	if err := e.change(o); err != nil {
		return nil, nil, err
	}
	if len(e.changed) == 0 {
		return m, e.report, nil
	}
	if e.doubts.any() && !o.Keep && !e.sameTypes(ctx, o.Typer) {
		f := newFollower(m, p)
		f.values(p, e.suspects)
		e.forget(f, e.doubts)
	}
	t := trial{edit: e.edit, was: m}
	for i, n := range e.changed {
		e.next.Nodes[i] = n
		if p.Kind == graphops.MainGraph {
			t.touched = append(t.touched, e.made(i)...)
		}
	}
	var report *Report
	t.next, report = e.finish()
	next, err := t.settle(ctx, o.Typing)
	return next, report, err
}

// attributes is the state of one call of Attributes.
type attributes struct {
	*edit
	changed map[int]*graphops.Node // by position
	// suspects are the outputs whose recorded types, or those of values computed from them, may be
	// wrong after the edit. doubts says which parts of the types may be wrong.
	suspects []string
	doubts   doubt
}

// change applies the options to the nodes that they name, and records the changed nodes.
func (e *attributes) change(o AttributeOptions) error {
	at, err := e.nodes(o.Nodes)
	if err != nil {
		return err
	}
	for _, i := range at {
		n := nodeAttributes{edit: e.edit, at: i, node: e.graph.Nodes()[i], list: slices.Clone(e.graph.Nodes()[i].Attributes())}
		if err := n.change(o); err != nil {
			return fmt.Errorf("node %s: %w", nodeLabel(e.graph, i), err)
		}
		if !n.changed {
			continue
		}
		e.changed[i] = n.node.WithAttributes(n.list)
		d := n.effect.doubt()
		if !d.any() && !e.readsData(i) {
			d.shape = unlike // a constant can be a shape, or a scale that determines one
		}
		if d.any() {
			e.doubts = e.doubts.or(d)
			e.suspects = append(e.suspects, e.made(i)...)
		}
	}
	return nil
}

// made returns the names of the outputs of a node.
func (e *attributes) made(i int) []string {
	var names []string
	for _, id := range e.outputsOf(i) {
		names = append(names, e.index.Name(id))
	}
	return names
}
