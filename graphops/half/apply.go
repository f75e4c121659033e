package half

import (
	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// apply changes the loaded model according to the plan and returns the result.
func (c *converter) apply() (*graphops.Model, error) {
	c.casts, c.stored, c.dropped = map[*rewrite.Value]*rewrite.Value{}, map[*rewrite.Value]source{}, 0
	for _, g := range c.model.Graphs() {
		if g.Holder() != nil {
			continue // changed with the node that has this body
		}
		if err := c.applyGraph(g); err != nil {
			return nil, err
		}
	}
	for _, p := range c.ordered {
		c.dropIdle(p)
	}
	return c.declare(c.model.Store()), nil
}

func (c *converter) applyGraph(g *rewrite.Graph) error {
	for n := range g.Nodes() {
		p := c.plans[n.ID()]
		if p.spec.IsConstant() {
			c.narrowConstant(p)
		} else {
			c.setAttributes(p)
		}
		for _, b := range n.Bodies() {
			if err := c.applyGraph(b); err != nil {
				return err
			}
		}
		for i, v := range p.inputs {
			if from := c.of(v); from.form == dense && from.narrow != p.in[i] {
				n.SetInput(i, c.cast(v, g, n))
			}
		}
	}
	for i, v := range g.Outputs() {
		if from := c.of(v); from.form == dense && from.narrow != c.outside(g, v) {
			if to := c.cast(v, g, nil); g.Outputs()[i] == v {
				g.ReplaceOutput(i, to)
			}
		}
	}
	return c.narrowInitializers(g)
}

// cast returns the value in the other type, for a node of the graph g, or for an output of g if the
// node is nil. It inserts a Cast if there is none yet. The Cast belongs to the graph that defines
// the value. If that graph has the value as an output that must have the other type, the Cast
// produces this output.
func (c *converter) cast(v *rewrite.Value, g *rewrite.Graph, before *rewrite.Node) *rewrite.Value {
	if to := c.casts[v]; to != nil {
		return to
	}
	for g != v.Graph() {
		before = g.Holder()
		g = before.Graph()
	}
	from := c.of(v)
	output := -1
	for i, o := range g.Outputs() {
		if o == v && !v.IsInput() && c.outside(g, v) != from.narrow {
			output = i
		}
	}
	to := g.NewValue(v.Name()+"_"+suffix(c.typeOf(from.narrow == (output >= 0))), shape.Type{})
	c.casts[v] = to
	c.note(to, &value{form: dense, narrow: !from.narrow})
	if output >= 0 {
		g.ReplaceOutput(output, to)
	}
	g.Insert(before, rewrite.Spec{
		Op: "Cast", Name: to.Name() + "_cast", Inputs: []*rewrite.Value{v}, Outputs: []*rewrite.Value{to},
		Attributes: []*graphops.Attribute{graphops.IntAttribute("to", int64(c.typeOf(!from.narrow)))},
	})
	return to
}

// suffix returns the word that is appended to the name of a value for its copy in another type.
func suffix(d tensor.DType) string {
	switch d {
	case tensor.F16:
		return "float16"
	case tensor.BF16:
		return "bfloat16"
	}
	return "float32"
}

// dropIdle removes a Cast of the original model that no longer changes the type, because its input
// and output both have the target type. A Cast that produces an output of the graph is kept.
func (c *converter) dropIdle(p *plan) {
	if !p.node.Is("Cast") || len(p.inputs) != 1 || len(p.outputs) != 1 || p.isOutput(0) {
		return
	}
	isNarrow := func(v *rewrite.Value) bool {
		known := c.of(v)
		return known.narrow || known.form != dense && known.typ.Kind == graphops.TypeTensor && known.typ.Elem == c.to
	}
	if p.node.Int("to", 0) == int64(c.to) && isNarrow(p.node.In(0)) && isNarrow(p.outputs[0]) && p.node.PassOn(p.node.In(0)) {
		c.dropped++
	}
}

// declare gives the values that have become the target type this type in the file. It drops the types
// of values that no node produces because their Cast was removed.
func (c *converter) declare(m *graphops.Model) *graphops.Model {
	graphs := c.model.Graphs()
	return m.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		narrow := map[string]bool{}
		for _, v := range append(graphs[p.ID].Values(), graphs[p.ID].Outputs()...) {
			if c.of(v).narrow {
				narrow[v.Name()] = true
			}
		}
		for _, list := range [][]*graphops.ValueInfo{e.Inputs, e.Outputs, e.ValueInfo} {
			for i, v := range list {
				if narrow[v.Name()] {
					list[i] = v.WithType(retyped(v.Type(), c.to))
				}
			}
		}
		if c.dropped > 0 {
			e.DropUndefined()
		}
		return len(narrow) > 0 || c.dropped > 0
	})
}
