package region

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Slice returns a model with some nodes of the main graph. Its inputs are the given values, and
// those inputs of the original model that the nodes read. Its outputs are the named values.
func Slice(m *graphops.Model, nodes map[int]bool, inputs []graphops.NamedType, outputs []string) *graphops.Model {
	infos := make([]*graphops.ValueInfo, len(inputs))
	for i, in := range inputs {
		infos[i] = open(in.Name, in.Type)
	}
	return build(m, func(i int) bool { return nodes[i] }, infos, untyped(outputs), nil, false)
}

// Opened returns the model with unknown sizes in the types of its inputs. The ranks stay the same.
func Opened(m *graphops.Model) *graphops.Model {
	e := graphops.Edit(m)
	for i, v := range e.Inputs {
		e.Inputs[i] = open(v.Name(), v.Type())
	}
	return e.Model()
}

// open returns an input with unknown sizes. In a sequence or optional, the sizes of the elements
// become unknown. An integer tensor with one axis keeps its length: it may be a shape, and ONNX
// Runtime 1.30 treats a shape of unknown length as missing (Resize).
func open(name string, t graphops.Type) *graphops.ValueInfo {
	return graphops.NewValueInfo(name, opened(t))
}

func opened(t graphops.Type) graphops.Type {
	if t.Of != nil {
		of := opened(*t.Of)
		t.Of = &of
	}
	isList := len(t.Shape) == 1 && (t.Elem == tensor.I64 || t.Elem == tensor.I32)
	if t.Shape == nil || isList && t.Shape[0].IsFixed() {
		return t
	}
	shape := make(graphops.Shape, len(t.Shape))
	for i := range shape {
		shape[i] = graphops.Dim{Value: -1}
	}
	t.Shape = shape
	return t
}

func untyped(names []string) []*graphops.ValueInfo {
	infos := make([]*graphops.ValueInfo, len(names))
	for i, name := range names {
		infos[i] = graphops.NewValueInfo(name, graphops.Type{})
	}
	return infos
}

// build returns a model with the nodes for which keep returns true. It also has the constants and
// the inputs of the original model that these nodes read, except for the values in inputs. Declared
// types of inner values are removed unless declared is set, because they may be wrong and a runtime
// infers them. renamed maps names of node outputs to new names.
func build(m *graphops.Model, keep func(int) bool, inputs, outputs []*graphops.ValueInfo, renamed map[string]string, declared bool) *graphops.Model {
	x := m.Graph().Index()
	given := map[string]bool{}
	for _, v := range inputs {
		given[v.Name()] = true
	}
	reads := map[graphops.ValueID]bool{}
	e := graphops.Edit(m.WithoutTraining())
	nodes := e.Nodes
	e.Nodes = nil
	for i, n := range nodes {
		if !keep(i) {
			continue
		}
		for v := range Reads(m.Graph(), i) {
			reads[v] = !given[x.Name(v)]
		}
		e.Nodes = append(e.Nodes, withOutputs(n, renamed))
	}
	isRead := func(name string) bool {
		v, ok := x.Value(name)
		return ok && reads[v]
	}
	e.Initializers = slices.DeleteFunc(e.Initializers, func(t *graphops.Tensor) bool {
		v, _ := x.Value(t.Name())
		return !isRead(t.Name()) || x.Initializer(v) != t
	})
	e.Sparse = slices.DeleteFunc(e.Sparse, func(t *graphops.SparseTensor) bool {
		v, ok := x.Value(t.Name())
		return !isRead(t.Name()) || !ok || !x.IsInitializer(v)
	})
	e.Inputs = slices.DeleteFunc(e.Inputs, func(v *graphops.ValueInfo) bool {
		id, _ := x.Value(v.Name())
		return !isRead(v.Name()) || x.Producer(id) >= 0
	})
	e.Inputs = append(e.Inputs, inputs...)
	e.Outputs = outputs
	isInside := inside(e.Nodes, outputs)
	e.ValueInfo = slices.DeleteFunc(e.ValueInfo, func(v *graphops.ValueInfo) bool { return !declared || !isInside(v.Name()) })
	e.DropUndefined()
	part, _ := withCalled(e.Model()).Unshadowed()
	return part
}

// inside returns a function that reports whether a value is produced by one of the nodes and is not
// an output.
func inside(nodes []*graphops.Node, outputs []*graphops.ValueInfo) func(name string) bool {
	made := map[string]bool{}
	for _, n := range nodes {
		for _, name := range n.Outputs() {
			made[name] = true
		}
	}
	for _, v := range outputs {
		delete(made, v.Name())
	}
	return func(name string) bool { return made[name] }
}

func withOutputs(n *graphops.Node, renamed map[string]string) *graphops.Node {
	if !slices.ContainsFunc(n.Outputs(), func(name string) bool { return renamed[name] != "" }) {
		return n
	}
	outputs := slices.Clone(n.Outputs())
	for i, name := range outputs {
		if to := renamed[name]; to != "" {
			outputs[i] = to
		}
	}
	return n.WithOutputs(outputs)
}

// withCalled returns the model without the functions that none of its nodes call.
func withCalled(m *graphops.Model) *graphops.Model {
	called := m.CalledFunctions()
	if len(called) == len(m.Functions()) {
		return m
	}
	e := graphops.Edit(m)
	e.Functions = called
	return e.Model()
}
