package rewrite

import (
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
)

// irParts is the IR version of the models that Part returns. In this version initializers need not
// be inputs, and it has all element types that runtimes compute with.
const irParts = 10

// Part returns a model with some nodes. The nodes may be of several graphs that import the same
// versions. They must be in an order in which they can run, and may read only constants and outputs
// of earlier nodes. The values want become the outputs of the model, and the map has the name of
// each.
func (m *Model) Part(nodes []*Node, want []*Value) (*graphops.Model, map[*Value]string) {
	names := map[*Value]string{}
	var order []*Value
	call := func(v *Value) string {
		if v == nil {
			return ""
		}
		if names[v] == "" {
			names[v] = fmt.Sprintf("v%d", len(names))
			order = append(order, v)
		}
		return names[v]
	}
	e := graphops.Edit(m.source.WithoutTraining())
	e.Nodes, e.Initializers, e.Sparse, e.Inputs, e.Outputs, e.ValueInfo, e.Functions = nil, nil, nil, nil, nil, nil, nil
	e.SetIRVersion(max(irParts, m.source.IRVersion()))
	for _, n := range nodes {
		e.Nodes = append(e.Nodes, partOf(n, call))
	}
	e.SetOpsets(importsOf(nodes))
	for _, v := range order {
		if c := v.Constant(); c != nil {
			e.Initializers = append(e.Initializers, c.WithName(names[v]))
		}
	}
	for _, v := range want {
		e.Outputs = append(e.Outputs, graphops.NewValueInfo(call(v), v.Type().ForFile()))
	}
	e.DropUndefined()
	return e.Model(), names
}

// importsOf returns the versions of the operators of nodes. Each graph counts once, because a graph
// can have many nodes and a model many imports.
func importsOf(nodes []*Node) []graphops.Opset {
	versions, seen := map[string]int64{}, map[*Graph]bool{}
	for _, n := range nodes {
		if !seen[n.graph] {
			seen[n.graph] = true
			maps.Copy(versions, n.graph.Opsets())
		}
	}
	var out []graphops.Opset
	for _, domain := range slices.Sorted(maps.Keys(versions)) {
		out = append(out, graphops.Opset{Domain: domain, Version: versions[domain]})
	}
	return out
}

func partOf(n *Node, call func(*Value) string) *graphops.Node {
	var in, out []string
	for _, v := range n.in {
		in = append(in, call(v))
	}
	for _, v := range n.out {
		out = append(out, call(v))
	}
	return n.spec.WithInputs(in).WithOutputs(out)
}

// Opsets returns the versions of all domains for the graph.
func (g *Graph) Opsets() map[string]int64 {
	if f := g.place.Function; f != nil {
		return f.OpsetVersions()
	}
	return maps.Clone(g.model.opsets)
}
