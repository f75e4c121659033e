package graph

import (
	"slices"

	"lathe/graphops"
	"lathe/session/reporting"
	"lathe/tui/cells"
)

// NewNodeCosts returns the ratios that the outputs of a model have if only one node is changed, by the node.
// Nodes that the model does not have are left out. It returns nil if no node is left.
func NewNodeCosts(r reporting.Costing, m *graphops.Model) *NodeSignals {
	out := NewNodeSignals(cells.Prose(r.CostsAre()))
	out.AtOutputs = true
	places := map[string]*graphops.Place{"": m.Places()[0]}
	for _, p := range m.Places()[1:] {
		places[p.String()] = p
	}
	named := map[*graphops.Place]map[string]int{}
	for _, c := range r.NodeCosts() {
		p := places[c.Place]
		if p == nil {
			continue
		}
		if named[p] == nil {
			named[p] = nodesByName(p)
		}
		node, ok := named[p][c.Node]
		if c.Node == "" || !ok {
			node = nodeOfWeights(p, c)
		}
		if node >= 0 {
			out.Add(p, node, c.SNR)
		}
	}
	if out.IsEmpty() {
		return nil
	}
	return out
}

// nodesByName returns the positions of the nodes of a place by their names, -1 for a name of several.
func nodesByName(p *graphops.Place) map[string]int {
	at := map[string]int{}
	for i, n := range p.Graph.Nodes() {
		if _, twice := at[n.Name()]; twice {
			i = -1
		}
		at[n.Name()] = i
	}
	return at
}

// nodeOfWeights returns the node of a place that has the operator of a cost and reads its constants. It
// returns -1 if no node or several match.
func nodeOfWeights(p *graphops.Place, c reporting.NodeCost) int {
	at, x := -1, p.Graph.Index()
	for i, n := range p.Graph.Nodes() {
		switch {
		case n.OpType() != c.Op || len(c.Reads) == 0 || !readsAll(x, i, c.Reads):
		case at >= 0:
			return -1
		default:
			at = i
		}
	}
	return at
}

func readsAll(x *graphops.Index, node int, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(x.Reads(node), func(id graphops.ValueID) bool { return x.Name(id) == name })
	})
}
