package edit

import (
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
)

// nodeAttributes has the attributes of one node while they are changed.
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

// index returns the position of the first attribute with a name, -1 if there is none.
func (n *nodeAttributes) index(name string) int {
	return slices.IndexFunc(n.list, func(a *graphops.Attribute) bool { return a.Name() == name })
}

// note reports that an attribute was set or removed, under the name NODE:ATTRIBUTE, and records its
// effect. from is nil if the attribute is new, and to is nil if it is removed.
func (n *nodeAttributes) note(name string, from, to *graphops.Attribute) {
	label := n.node.Name()
	if label == "" {
		label = fmt.Sprintf("#%d", n.at)
	}
	n.report.changed("attribute", label+":"+name, from.String(), to.String())
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

// secondValue returns an error if a Constant has its value in another attribute than the given one.
func (n *nodeAttributes) secondValue(name string) error {
	if !n.node.Is("Constant") || !graphops.IsConstantValue(name) {
		return nil
	}
	for _, a := range n.list {
		if a.Name() != name && graphops.IsConstantValue(a.Name()) {
			return fmt.Errorf("a Constant has one value, and this one has it in %q: set %[1]q, or remove it as well", a.Name())
		}
	}
	return nil
}

func (n *nodeAttributes) set(s AttributeSetting) error {
	if err := n.secondValue(s.Name); err != nil {
		return err
	}
	i := n.index(s.Name)
	if i < 0 {
		if err := checkText(s.Name); err != nil {
			return err
		}
		a, err := n.made(s, nil)
		if err != nil {
			return err
		}
		n.warnUnknown(s.Name)
		n.note(s.Name, nil, a)
		n.list = append(n.list, a)
		return nil
	}
	old, err := n.list[i].Load()
	if err != nil {
		return err
	}
	if err := settable(old.Kind()); err != nil {
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
		n.report.warn("node %s: attribute %q no longer takes the value of the function's attribute %q", nodeLabel(n.graph, n.at), s.Name, ref)
	}
	a = old.WithValueOf(a)
	n.note(s.Name, old, a)
	n.list[i] = a
	return nil
}

// dropDoubles removes all attributes with the same name as the one at position first, except that
// one. No runtime accepts a node with two of them.
func (n *nodeAttributes) dropDoubles(first int) {
	name := n.list[first].Name()
	rest := n.list[first+1:]
	kept := slices.DeleteFunc(slices.Clone(rest), func(a *graphops.Attribute) bool { return a.Name() == name })
	if len(kept) == len(rest) {
		return
	}
	n.report.warn("node %s: attribute %q occurred %d times, which no runtime accepts; one is kept", nodeLabel(n.graph, n.at), name, len(rest)-len(kept)+1)
	n.list, n.changed = append(n.list[:first+1], kept...), true
}

var errHoldsGraph = errors.New("holds a graph, which this edit can neither set nor remove; to edit inside it, use --in NODE:ATTRIBUTE")

// settable returns an error if attributes of the kind cannot be typed as text.
func settable(k graphops.AttributeKind) error {
	switch k {
	case graphops.AttrGraph, graphops.AttrGraphs:
		return errHoldsGraph
	case graphops.AttrTensors, graphops.AttrSparseTensor, graphops.AttrSparseTensors, graphops.AttrTypeProto, graphops.AttrTypeProtos:
		return fmt.Errorf("is of kind %s, which cannot be written as text", k)
	}
	return nil
}
