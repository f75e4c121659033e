package rewrite

import (
	"slices"

	"lathe/graphops"
)

// Attribute returns the attribute with this name, if the node has it. Defaults of the operator are
// not included.
func (n *Node) Attribute(name string) (*graphops.Attribute, bool) { return n.spec.Attribute(name) }

// Attributes returns the attributes that the node has. Defaults of the operator are not included.
func (n *Node) Attributes() []*graphops.Attribute { return n.spec.Attributes() }

// Int returns the value of an INT attribute, or otherwise if the node does not have it.
func (n *Node) Int(name string, otherwise int64) int64 {
	if a, ok := n.Attribute(name); ok {
		return a.Int()
	}
	return otherwise
}

// Float returns the value of a FLOAT attribute, or otherwise if the node does not have it.
func (n *Node) Float(name string, otherwise float32) float32 {
	if a, ok := n.Attribute(name); ok {
		return a.Float()
	}
	return otherwise
}

// Ints returns the value of an INTS attribute. ok reports whether the node has it.
func (n *Node) Ints(name string) (ints []int64, ok bool) {
	a, ok := n.Attribute(name)
	if !ok {
		return nil, false
	}
	return a.Ints(), true
}

// Text returns the value of a STRING attribute, or otherwise if the node does not have it.
func (n *Node) Text(name, otherwise string) string {
	if a, ok := n.Attribute(name); ok {
		return a.Text()
	}
	return otherwise
}

// SetAttributes replaces the node's attributes. Only attributes that the node has already may have
// bodies.
func (n *Node) SetAttributes(list ...*graphops.Attribute) {
	if n.bodies != nil {
		n.keepBodies(list)
	}
	n.spec = n.spec.WithAttributes(list)
	n.graph.model.touch(n)
}

// keepBodies keeps the bodies of the node that are in the listed attributes.
func (n *Node) keepBodies(list []*graphops.Attribute) {
	of, rest := map[*graphops.Attribute][]*Graph{}, n.bodies
	for _, a := range n.Attributes() {
		count := len(a.Graphs())
		of[a], rest = rest[:count], rest[count:]
		if !slices.Contains(list, a) {
			for _, b := range of[a] {
				b.drop()
			}
		}
	}
	n.bodies = nil
	for _, a := range list {
		n.bodies = append(n.bodies, of[a]...)
	}
}

// SetAttribute sets one attribute, or adds it.
func (n *Node) SetAttribute(a *graphops.Attribute) {
	list := slices.Clone(n.Attributes())
	if i := slices.IndexFunc(list, func(b *graphops.Attribute) bool { return b.Name() == a.Name() }); i >= 0 {
		list[i] = a
	} else {
		list = append(list, a)
	}
	n.SetAttributes(list...)
}

// DropAttributes removes the attributes with these names. It reports whether the node had any.
func (n *Node) DropAttributes(names ...string) bool {
	list := slices.DeleteFunc(slices.Clone(n.Attributes()), func(a *graphops.Attribute) bool { return slices.Contains(names, a.Name()) })
	if len(list) == len(n.Attributes()) {
		return false
	}
	n.SetAttributes(list...)
	return true
}

// refers reports whether an attribute of the node, which is in a function, has the value of an
// attribute of the function's call.
func (n *Node) refers() bool {
	if n.asked != n.spec {
		n.asked = n.spec
		n.refersToCall = slices.ContainsFunc(n.Attributes(), func(a *graphops.Attribute) bool { return a.RefName() != "" })
	}
	return n.refersToCall
}
