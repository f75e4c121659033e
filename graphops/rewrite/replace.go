package rewrite

import (
	"slices"

	"lathe/graphops"
)

// CanBecome reports whether ReplaceWith(with) would succeed.
func (v *Value) CanBecome(with *Value) bool {
	return v != with && with.canStandFor(v) && v.outputCanBe(with)
}

// IsCall reports whether the node calls a function of the model.
func (n *Node) IsCall() bool { return n.graph.model.hides(n.spec.Calls()) }

// Refers reports whether an attribute of the node, which is in a function, has the value of an
// attribute of the function's call.
func (n *Node) Refers() bool { return n.refers }

func refers(spec *graphops.Node) bool {
	return slices.ContainsFunc(spec.Attributes(), func(a *graphops.Attribute) bool { return a.RefName() != "" })
}
