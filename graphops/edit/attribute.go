package edit

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
)

// AttributeSetting is an attribute and what it becomes, as a person types it.
type AttributeSetting struct {
	Name string
	// Kind is AttrUndefined for that of the attribute that is there, else for the
	// one that the operator declares, else for the one that the text is spelled as.
	Kind graphops.AttributeKind
	// Ref makes the attribute stand for the one of the function that Text names.
	Ref  bool
	Text string
}

// AttributeOptions say which attributes of which nodes change.
type AttributeOptions struct {
	Nodes  []string // by name, or # and position
	Set    []AttributeSetting
	Remove []string
	Typing
}

// Attributes changes, adds and removes attributes of nodes. Types that are recorded
// behind them, in whatever place, are settled as Typing says.
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

// attributes is an edit of attributes.
type attributes struct {
	*edit
	changed map[int]*graphops.Node // by position
	// suspects are the outputs of nodes whose types the edit may change, or whose
	// values and with them types further on, doubts what may be wrong of those.
	suspects []string
	doubts   doubt
}

// change applies the options to every node that they name.
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
			d.shape = unlike // a constant can be a shape, or a scale that makes one
		}
		if d.any() {
			e.doubts = e.doubts.or(d)
			e.suspects = append(e.suspects, e.made(i)...)
		}
	}
	return nil
}

// made are the names of what a node makes.
func (e *attributes) made(i int) []string {
	var names []string
	for _, id := range e.outputsOf(i) {
		names = append(names, e.index.Name(id))
	}
	return names
}
