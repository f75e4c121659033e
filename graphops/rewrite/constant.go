package rewrite

import (
	"lathe/graphops"
	"lathe/graphops/tensor"
)

// lift turns a Constant node into a constant of the graph, as runtimes do. It returns false if the
// node is not a Constant or does not have a dense tensor.
func (g *Graph) lift(spec *graphops.Node) bool {
	if !spec.IsConstant() {
		return false
	}
	t := g.model.dense(spec, spec.Output(0))
	if t != nil {
		g.addConstant(g.define(t.Name()), t)
	}
	return t != nil
}

// dense returns the tensor of a Constant node under the given name. It is nil if the node is not a
// Constant or does not have a dense tensor.
func (m *Model) dense(spec *graphops.Node, name string) *graphops.Tensor {
	if !spec.Is("Constant") || m.hides(spec.Calls()) {
		return nil
	}
	list := spec.Attributes()
	if len(list) != 1 || list[0].RefName() != "" {
		return nil
	}
	t, err := list[0].Dense(name)
	if err != nil {
		return nil
	}
	return t
}

// NewConstant adds a constant with the elements of t to the graph. Its name is base, or base with a
// number if that is in use.
func (g *Graph) NewConstant(base string, t tensor.Tensor) *Value {
	return g.NewStored(graphops.NewTensorOf(base, t))
}

// NewStored adds a tensor to the graph as a constant, without reading its elements. Its name is the
// tensor's, with a number if that is in use.
func (g *Graph) NewStored(t *graphops.Tensor) *Value {
	v := g.newValue(g.model.Names().Value(t.Name()))
	g.addConstant(v, t)
	g.model.touch(nil)
	return v
}

// Constants returns the constants of the graph that are used, in file order. They include sparse
// ones and those that callers of the model can replace.
func (g *Graph) Constants() []*Value {
	var out []*Value
	for _, v := range g.constants {
		if v.IsUsed() {
			out = append(out, v)
		}
	}
	return out
}

// Become turns a value that a node produces into a constant. The node gets a new, unused output in
// its place. Become returns false for an output of a body, because runtimes require that a node
// produces it.
func (v *Value) Become(t *graphops.Tensor) bool {
	g := v.graph
	if v.producer == nil || v.outputs > 0 && !g.IsMain() {
		return false
	}
	n := v.producer
	for i, o := range n.out {
		if o == v {
			n.SetOutput(i, g.NewValue(v.name, v.known.Type))
		}
	}
	known := v.known
	g.addConstant(v, t.WithName(v.name))
	if known.Kind == graphops.TypeTensor {
		v.known = known
	}
	return true
}
