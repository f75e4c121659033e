package rewrite

// ReplaceOutput replaces the output of the graph at position i by a value that is not an output yet.
// The nodes that read the previous value keep reading it. If the graph defines both values, and the
// previous one is not an input, they swap names, because callers identify outputs by name.
func (g *Graph) ReplaceOutput(i int, with *Value) {
	old := g.outputs[i]
	if old.graph == g && with.graph == g && !old.input {
		old.name, with.name = with.name, old.name
	}
	g.outputs[i] = with
	old.outputs--
	with.outputs++
	g.model.touch(with.producer)
}

// SetOutput sets the output at position i. A nil value omits the output. The value there before has
// no producer until another node takes it over (see Spec.Outputs).
func (n *Node) SetOutput(i int, v *Value) {
	for i >= len(n.out) {
		n.out = append(n.out, nil)
	}
	if was := n.out[i]; was != nil {
		was.producer = nil
	}
	n.out[i] = v
	if v != nil {
		v.producer = n
	}
	n.graph.model.touch(n)
}

// LeaveOut omits the output at position i, if nothing uses it. Omitted outputs at the end of the
// list are removed from it.
func (n *Node) LeaveOut(i int) {
	if v := n.Out(i); v.IsUsed() {
		return
	}
	if i < len(n.out) {
		n.SetOutput(i, nil)
	}
	for last := len(n.out) - 1; last > 0 && n.out[last] == nil; last-- {
		n.out = n.out[:last]
	}
}

// LeaveOutFrom omits the unused outputs from position i on.
func (n *Node) LeaveOutFrom(i int) {
	for at := len(n.out) - 1; at >= i; at-- {
		n.LeaveOut(at)
	}
}
