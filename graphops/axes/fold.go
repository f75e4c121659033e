package axes

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// fold replaces nodes of the main graph by initializers if their outputs are known, which are then
// integers or booleans computed from sizes. It also removes nodes that only these nodes needed. It
// returns the number of all these nodes.
func fold(m *graphops.Model, r *shape.Result) (*graphops.Model, int) {
	e := graphops.Edit(m)
	place := m.Places()[0]
	x := place.Graph.Index()
	before := len(e.Nodes)
	gone := map[int]bool{}
	for i, n := range e.Nodes {
		if len(n.Inputs()) == 0 {
			continue
		}
		if made := constants(place, x, r, n); made != nil {
			gone[i] = true
			e.Initializers = append(e.Initializers, made...)
		}
	}
	if len(gone) == 0 {
		return m, 0
	}
	var kept []*graphops.Node
	for i, n := range e.Nodes {
		if !gone[i] {
			kept = append(kept, n)
		}
	}
	e.Nodes = withoutFeeders(kept, place.Graph, gone, e.Outputs)
	e.ValueInfo = slices.DeleteFunc(e.ValueInfo, func(v *graphops.ValueInfo) bool {
		id, ok := x.Value(v.Name())
		return ok && x.Producer(id) >= 0 && gone[x.Producer(id)]
	})
	e.DropUndefined()
	return e.Model(), before - len(e.Nodes)
}

// constants returns the outputs of a node as initializers, or nil if one is not known or is an
// output of the graph.
func constants(p *graphops.Place, x *graphops.Index, r *shape.Result, n *graphops.Node) []*graphops.Tensor {
	var out []*graphops.Tensor
	for _, name := range n.Outputs() {
		id, ok := x.Value(name)
		if name == "" || !ok {
			continue
		}
		if x.IsOutput(id) {
			return nil
		}
		t, ok := r.Value(p, id).Constant()
		if !ok {
			return nil
		}
		out = append(out, graphops.NewTensorOf(name, t))
	}
	return out
}

// withoutFeeders removes the nodes that only produced inputs of nodes in gone, or of nodes that it
// removes itself.
func withoutFeeders(nodes []*graphops.Node, g *graphops.Graph, gone map[int]bool, outputs []*graphops.ValueInfo) []*graphops.Node {
	fed := map[string]bool{}
	mark := func(n *graphops.Node) {
		for _, name := range n.Inputs() {
			fed[name] = true
		}
	}
	for i := range gone {
		mark(g.Nodes()[i])
	}
	for {
		read := map[string]bool{}
		for _, v := range outputs {
			read[v.Name()] = true
		}
		for _, n := range nodes {
			for _, list := range [][]string{n.Inputs(), n.Captured()} {
				for _, name := range list {
					read[name] = true
				}
			}
		}
		idle := func(n *graphops.Node) bool {
			return slices.ContainsFunc(n.Outputs(), func(o string) bool { return fed[o] }) &&
				!slices.ContainsFunc(n.Outputs(), func(o string) bool { return o != "" && read[o] })
		}
		for _, n := range nodes {
			if idle(n) {
				mark(n)
			}
		}
		left := slices.DeleteFunc(slices.Clone(nodes), idle)
		if len(left) == len(nodes) {
			return left
		}
		nodes = left
	}
}
