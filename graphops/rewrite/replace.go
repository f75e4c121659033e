package rewrite

// CanBecome reports whether ReplaceWith(with) would succeed.
func (v *Value) CanBecome(with *Value) bool {
	return v != with && with.canStandFor(v) && v.outputCanBe(with)
}

// IsCall reports whether the node calls a function of the model.
func (n *Node) IsCall() bool { return n.graph.model.hides(n.spec.Calls()) }
