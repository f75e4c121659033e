package rewrite

import (
	"lathe/graphops"
	"lathe/graphops/tensor"
)

// constantOf turns the value of a Constant node into a constant of the graph, as runtimes do. It
// returns nil if the node is not a Constant or does not contain a dense tensor.
func (g *Graph) constantOf(spec *graphops.Node) *Value {
	if spec.OpType() != "Constant" || spec.Domain() != graphops.DefaultDomain || len(spec.Outputs()) != 1 || g.model.hides(spec.Calls()) {
		return nil
	}
	list := spec.Attributes()
	if len(list) != 1 || list[0].RefName() != "" || spec.Outputs()[0] == "" {
		return nil
	}
	t, err := list[0].Dense(spec.Outputs()[0])
	if err != nil {
		return nil
	}
	v := g.define(spec.Outputs()[0])
	g.addConstant(v, t)
	return v
}

// NewConstant adds a constant to the graph, under a free name derived from base.
func (g *Graph) NewConstant(base string, t tensor.Tensor) *Value {
	return g.NewStored(graphops.NewTensorOf(base, t))
}

// NewStored adds a stored tensor to the graph as a constant, under a free name derived from its
// own.
func (g *Graph) NewStored(t *graphops.Tensor) *Value {
	v := &Value{name: g.model.names.Value(t.Name()), graph: g}
	g.addConstant(v, t)
	g.model.touch(nil)
	return v
}

// Constants returns the used constants of the graph in file order, including sparse ones and those
// that callers can replace.
func (g *Graph) Constants() []*Value {
	var out []*Value
	for _, v := range g.constants {
		if v.Uses() > 0 {
			out = append(out, v)
		}
	}
	return out
}

// Become turns a value that a node produces into a constant. The previous producer gets a new,
// unused output. It returns false if that is impossible: an output of a body, which runtimes
// require to be produced by a node.
func (v *Value) Become(t *graphops.Tensor) bool {
	g := v.graph
	if v.producer == nil || v.outputs > 0 && !g.IsMain() {
		return false
	}
	n := v.producer
	for i, o := range n.out {
		if o == v {
			n.out[i] = &Value{name: g.model.names.Value(v.name), graph: g, producer: n, known: v.known}
		}
	}
	g.model.touch(n)
	v.producer = nil
	known := v.known
	g.addConstant(v, t.WithName(v.name))
	if known.Kind == graphops.TypeTensor {
		v.known = known
	}
	return true
}
