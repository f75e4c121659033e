package rewrite

import (
	"slices"

	"lathe/graphops"
)

// Store returns an immutable model with the current state. Nodes, weights and everything else that
// did not change are shared with the loaded model. Unused constants are left out. An unused input
// with a default stays, unless the IR version requires that each initializer is an input.
func (m *Model) Store() *graphops.Model {
	if m.stored != nil {
		return m.stored
	}
	e := graphops.Edit(m.source)
	for domain, version := range m.opsets {
		if was, ok := m.source.Opset(domain); !ok || was != version {
			e.SetOpset(domain, version)
		}
	}
	out := e.Model()
	m.unshadow()
	graphs := map[*graphops.Place]*graphops.Graph{}
	for _, g := range m.roots {
		graphs[g.place] = g.store()
	}
	m.stored = out.WithRoots(graphs)
	return m.stored
}

func (g *Graph) store() *graphops.Graph {
	e := graphops.EditGraph(g.origin)
	e.Nodes, e.Initializers, e.Sparse = make([]*graphops.Node, 0, g.count), nil, nil
	g.storeConstants(e)
	for n := g.first; n != nil; n = n.next {
		e.Nodes = append(e.Nodes, n.store())
	}
	e.Inputs = rename(e.Inputs, g.inputs)
	e.Outputs = rename(e.Outputs, g.outputs)
	if g.model.asIs {
		return e.GraphIfChanged()
	}
	if g.model.source.IRVersion() < graphops.OptionalInputsIR && g.IsMain() {
		e.Inputs = g.listed(e.Inputs)
	}
	e.DropUndefined()
	return e.GraphIfChanged()
}

func (g *Graph) storeConstants(e *graphops.GraphEditor) {
	for _, v := range g.constants {
		switch {
		case !v.isStored():
		case v.sparse != nil:
			e.Sparse = append(e.Sparse, v.sparse.WithName(v.name))
		case g.IsFunction(): // a function has no initializers
			e.Nodes = append(e.Nodes, graphops.NewNode(graphops.NodeSpec{
				Op: "Constant", Outputs: []string{v.name},
				Attributes: []*graphops.Attribute{graphops.TensorAttribute("value", v.constant.WithName(v.name))},
			}))
		case v.constant.Name() == v.name:
			e.Initializers = append(e.Initializers, v.constant)
		default:
			e.Initializers = append(e.Initializers, v.constant.WithName(v.name))
		}
	}
}

// rename gives the value infos the current names of their values.
func rename(infos []*graphops.ValueInfo, values []*Value) []*graphops.ValueInfo {
	for i, info := range infos {
		if values[i].name != info.Name() {
			infos[i] = info.WithName(values[i].name)
		}
	}
	return infos
}

// listed returns the inputs of a model whose IR version requires that each initializer is an input.
// It removes those of removed constants and adds those of new ones.
func (g *Graph) listed(infos []*graphops.ValueInfo) []*graphops.ValueInfo {
	var out []*graphops.ValueInfo
	for i, info := range infos {
		if v := g.inputs[i]; !v.IsInitializer() || v.IsUsed() {
			out = append(out, info)
		}
	}
	for _, v := range g.constants {
		if v.IsUsed() && !v.input && v.constant != nil {
			out = append(out, graphops.NewValueInfo(v.name, typeOf(v.constant).ForFile()))
		}
	}
	return out
}

// store returns the node as a part of the stored model. If it did not change, this is the loaded
// node.
func (n *Node) store() *graphops.Node {
	spec := n.spec
	if in := n.spec.Inputs(); !areCalled(n.in, in) {
		spec = spec.WithInputs(namesOf(n.in)).RenamedDevices(renames(in, n.in))
	}
	if out := n.spec.Outputs(); !areCalled(n.out, out) {
		spec = spec.WithOutputs(namesOf(n.out)).RenamedDevices(renames(out, n.out))
	}
	if len(n.bodies) == 0 {
		return spec
	}
	attributes := slices.Clone(spec.Attributes())
	next, changed := 0, false
	for i, a := range attributes {
		var graphs []*graphops.Graph
		for range a.Graphs() {
			graphs = append(graphs, n.bodies[next].store())
			next++
		}
		if !slices.Equal(graphs, a.Graphs()) {
			attributes[i], changed = a.WithGraphs(graphs), true
		}
	}
	if !changed {
		return spec
	}
	return spec.WithAttributes(attributes)
}

func areCalled(values []*Value, names []string) bool {
	return slices.EqualFunc(values, names, func(v *Value, name string) bool { return v.Name() == name })
}

// renames returns the new names of the inputs or outputs of a node, by the names at the same
// position before. It is nil if their number has changed.
func renames(before []string, values []*Value) map[string]string {
	names := map[string]string{}
	for i, v := range values {
		switch {
		case len(values) != len(before):
			return nil
		case v != nil:
			names[before[i]] = v.name
		}
	}
	return names
}

func namesOf(values []*Value) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = v.Name()
	}
	return out
}

// Values returns the values that the graph defines: its inputs, its constants, and the outputs of
// its nodes.
func (g *Graph) Values() []*Value {
	out := append(make([]*Value, 0, len(g.inputs)+len(g.constants)+g.count), g.inputs...)
	for _, v := range g.constants {
		if !v.input {
			out = append(out, v)
		}
	}
	for n := g.first; n != nil; n = n.next {
		for _, v := range n.out {
			if v != nil {
				out = append(out, v)
			}
		}
	}
	return out
}
