package rewrite

// CanBecome reports whether ReplaceWith would have everything that uses the value
// use the other one.
func (v *Value) CanBecome(with *Value) bool {
	return v != with && with.canStandFor(v) && v.outputCanBe(with)
}

// IsCall reports whether the node calls a function of the model.
func (n *Node) IsCall() bool { return n.graph.model.hides(n.spec.Calls()) }

// Refers reports whether an attribute of the node is that of the call of the
// function that it stands in.
func (n *Node) Refers() bool { return n.refers }
