package edit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
)

// AttributeSetting is an attribute and what it becomes, as a person types it.
type AttributeSetting struct {
	Name string
	// Kind is AttrUndefined for that of the attribute that is there, or else for
	// the one that the text is spelled as.
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
	e := begin(m, p)
	e.report.NodesAfter = e.report.NodesBefore
	at, err := e.nodes(o.Nodes)
	if err != nil {
		return nil, nil, err
	}
	changed := map[int]*graphops.Node{}
	f := newFollower(m, p)
	doubts := doubt{}
	for _, i := range at {
		n := nodeAttributes{edit: e, at: i, node: e.graph.Nodes()[i], list: slices.Clone(e.graph.Nodes()[i].Attributes())}
		if err := n.change(o); err != nil {
			return nil, nil, fmt.Errorf("node %s: %w", nodeLabel(e.graph, i), err)
		}
		if n.changed {
			changed[i] = n.node.WithAttributes(n.list)
		}
		if d := n.effect.doubt(); d.any() {
			f.values(p, n.node.Outputs())
			doubts = doubts.or(d)
		}
	}
	if len(changed) == 0 {
		return m, e.report, nil
	}
	if doubts.any() && !o.Keep {
		e.forget(f, doubts)
	}
	t := trial{edit: e, was: m}
	for i, n := range changed {
		e.next.Nodes[i] = n
		if p.Kind == graphops.MainGraph {
			t.touched = append(t.touched, withoutBlanks(n.Outputs())...)
		}
	}
	var report *Report
	t.next, report = e.finish()
	next, err := t.settle(ctx, o.Typing)
	return next, report, err
}

// withoutBlanks are the names that are not empty.
func withoutBlanks(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(s string) bool { return s == "" })
}

// nodeAttributes are the attributes of one node under way.
type nodeAttributes struct {
	*edit
	at      int
	node    *graphops.Node
	list    []*graphops.Attribute
	changed bool
	effect  effect
}

func (n *nodeAttributes) change(o AttributeOptions) error {
	for _, name := range o.Remove {
		if err := n.remove(name); err != nil {
			return fmt.Errorf("attribute %q: %w", name, err)
		}
	}
	for _, s := range o.Set {
		if err := n.set(s); err != nil {
			return fmt.Errorf("attribute %q: %w", s.Name, err)
		}
	}
	return nil
}

// index finds the first attribute of a name, -1 for none.
func (n *nodeAttributes) index(name string) int {
	return slices.IndexFunc(n.list, func(a *graphops.Attribute) bool { return a.Name() == name })
}

// note reports a change, under NODE:ATTRIBUTE, and what it reaches. Either side
// is nil for nothing.
func (n *nodeAttributes) note(name string, from, to *graphops.Attribute) {
	label := n.node.Name()
	if label == "" {
		label = fmt.Sprintf("#%d", n.at)
	}
	n.report.changed("attribute", label+":"+name, attributeText(from), attributeText(to))
	n.changed = true
	for _, a := range []*graphops.Attribute{from, to} {
		if a != nil {
			n.effect = max(n.effect, effectOf(n.model, n.node, a))
		}
	}
}

func (n *nodeAttributes) remove(name string) error {
	i := n.index(name)
	if i < 0 {
		return n.unknown(name)
	}
	for ; i >= 0; i = n.index(name) {
		if len(n.list[i].Graphs()) > 0 {
			return errHoldsGraph
		}
		n.note(name, n.list[i], nil)
		n.list = slices.Delete(n.list, i, i+1)
	}
	return nil
}

func (n *nodeAttributes) unknown(name string) error {
	names := make([]string, len(n.list))
	for i, a := range n.list {
		names[i] = a.Name()
	}
	near := graphops.NearestNames(name, slices.Values(names))
	switch {
	case len(names) == 0:
		return fmt.Errorf("the node has no attributes")
	case len(near) == 0:
		near = names
	}
	return fmt.Errorf("the node has none of that name; it has %s", graphops.QuoteNames(near))
}

func (n *nodeAttributes) set(s AttributeSetting) error {
	i := n.index(s.Name)
	if i < 0 {
		a, err := n.made(s, nil)
		if err != nil {
			return err
		}
		n.note(s.Name, nil, a)
		n.list = append(n.list, a)
		return nil
	}
	old, err := n.list[i].Load()
	if err != nil {
		return err
	}
	if err := settable(old); err != nil {
		return err
	}
	a, err := n.made(s, old)
	if err != nil {
		return err
	}
	n.dropDoubles(i)
	if sameValue(old, a) {
		return nil
	}
	if ref := old.RefName(); ref != "" && !s.Ref {
		n.report.warn("node %s: attribute %q follows the function's attribute %q no more", nodeLabel(n.graph, n.at), s.Name, ref)
	}
	a = old.WithValueOf(a)
	n.note(s.Name, old, a)
	n.list[i] = a
	return nil
}

// dropDoubles leaves one attribute of a name: a node with two is refused by every
// runtime.
func (n *nodeAttributes) dropDoubles(first int) {
	name := n.list[first].Name()
	rest := n.list[first+1:]
	kept := slices.DeleteFunc(slices.Clone(rest), func(a *graphops.Attribute) bool { return a.Name() == name })
	if len(kept) == len(rest) {
		return
	}
	n.report.warn("node %s: attribute %q was there %d times, which no runtime takes; one is left", nodeLabel(n.graph, n.at), name, len(rest)-len(kept)+1)
	n.list, n.changed = append(n.list[:first+1], kept...), true
}

var errHoldsGraph = errors.New("holds a graph, which is neither set nor removed here; --in NODE:ATTRIBUTE works inside it")

// settable refuses attributes that cannot be typed.
func settable(a *graphops.Attribute) error {
	switch k := a.Kind(); k {
	case graphops.AttrGraph, graphops.AttrGraphs:
		return errHoldsGraph
	case graphops.AttrTensors, graphops.AttrSparseTensor, graphops.AttrSparseTensors, graphops.AttrTypeProto, graphops.AttrTypeProtos:
		return fmt.Errorf("is of kind %s, for which there is no spelling", k)
	}
	return nil
}
