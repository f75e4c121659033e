package mutate

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
)

// Reduce makes a failing model smaller: it removes parts as long as fails still returns true. It
// calls fails at most asks times.
func Reduce(m *onnxpb.ModelProto, asks int, fails func(*onnxpb.ModelProto) bool) *onnxpb.ModelProto {
	m = proto.CloneOf(m)
	strip(m)
	for progress := true; progress; {
		progress = false
		for i := 0; i < len(cuts(m)) && asks > 0; i++ {
			candidate := proto.CloneOf(m)
			before := proto.Size(candidate)
			cuts(candidate)[i]()
			sweep(candidate)
			if proto.Size(candidate) >= before {
				continue
			}
			if asks--; fails(candidate) {
				m, progress = candidate, true
				i--
			}
		}
	}
	return m
}

// strip removes parts that no runtime reads, such as documentation.
func strip(m *onnxpb.ModelProto) {
	m.ProducerName, m.ProducerVersion, m.DocString, m.Domain, m.ModelVersion, m.MetadataProps = nil, nil, nil, nil, nil, nil
	m.Graph.Name = proto.String("g") // the checker requires one
	for _, g := range bodies(m.GetGraph()) {
		g.DocString = nil
		for _, n := range g.GetNode() {
			n.DocString, n.Name = nil, nil
			for _, a := range n.GetAttribute() {
				a.DocString = nil
			}
		}
		for _, t := range g.GetInitializer() {
			t.DocString = nil
		}
	}
}

// cuts returns functions that each remove a part of the model. Those for large parts come first.
// Equal models have the same cuts in the same order.
func cuts(m *onnxpb.ModelProto) []func() {
	var all []func()
	all = append(all, removals(&m.Functions)...)
	all = append(all, hoists(m.GetGraph())...)
	for _, g := range bodies(m.GetGraph()) {
		all = append(all, removals(&g.Node)...)
		all = append(all, removals(&g.Output)...)
		all = append(all, removals(&g.ValueInfo)...)
		for _, v := range slices.Concat(g.GetOutput(), g.GetValueInfo()) {
			all = append(all, func() { v.Type = nil })
		}
		for _, n := range g.GetNode() {
			all = append(all, nodeCuts(n)...)
		}
		for _, t := range g.GetInitializer() {
			all = append(all, tensorCuts(t)...)
		}
	}
	return append(all, removals(&m.OpsetImport)...)
}

// hoists returns cuts that each replace a node with a body by the nodes of the body.
func hoists(g *onnxpb.GraphProto) []func() {
	var all []func()
	for i, n := range g.GetNode() {
		for _, a := range n.GetAttribute() {
			if body := a.GetG(); body != nil {
				all = append(all, func() {
					g.Node = slices.Replace(g.Node, i, i+1, body.GetNode()...)
					g.Initializer = append(g.Initializer, body.GetInitializer()...)
					g.Input = append(g.Input, body.GetInput()...)
					g.Output = append(g.Output, body.GetOutput()...)
				})
			}
		}
	}
	return all
}

func removals[T any](list *[]T) []func() {
	var all []func()
	for i := range *list {
		all = append(all, func() { *list = slices.Delete(*list, i, i+1) })
	}
	return all
}

func nodeCuts(n *onnxpb.NodeProto) []func() {
	all := removals(&n.Attribute)
	for i := range n.Input {
		all = append(all, func() { n.Input[i] = "" })
	}
	if len(n.Input) > 0 {
		all = append(all, func() { n.Input = n.Input[:len(n.Input)-1] })
	}
	if len(n.Output) > 1 {
		all = append(all, func() { n.Output = n.Output[:len(n.Output)-1] })
	}
	for _, a := range n.GetAttribute() {
		all = append(all, removals(&a.Ints)...)
	}
	return all
}

// tensorCuts returns cuts that each reduce one dimension of a constant to 1.
func tensorCuts(t *onnxpb.TensorProto) []func() {
	var all []func()
	for i, n := range t.GetDims() {
		if n > 1 {
			all = append(all, func() {
				t.Dims[i] = 1
				resize(t)
			})
		}
	}
	return all
}

// sweep removes the constants and inputs that no node reads, and the outputs that no node produces.
func sweep(m *onnxpb.ModelProto) {
	used, given := map[string]bool{}, map[string]bool{}
	for _, g := range bodies(m.GetGraph()) {
		for _, n := range g.GetNode() {
			for _, name := range n.GetInput() {
				used[name] = true
			}
			for _, name := range n.GetOutput() {
				given[name] = true
			}
		}
		for _, v := range g.GetOutput() {
			used[v.GetName()] = true
		}
	}
	g := m.GetGraph()
	for _, v := range g.GetInput() {
		given[v.GetName()] = true
	}
	for _, t := range g.GetInitializer() {
		given[t.GetName()] = true
	}
	g.Initializer = slices.DeleteFunc(g.Initializer, func(t *onnxpb.TensorProto) bool { return !used[t.GetName()] })
	g.Input = slices.DeleteFunc(g.Input, func(v *onnxpb.ValueInfoProto) bool { return !used[v.GetName()] })
	g.Output = slices.DeleteFunc(g.Output, func(v *onnxpb.ValueInfoProto) bool { return !given[v.GetName()] })
}
