package rewrite

import (
	"lathe/graphops"
	"lathe/graphops/shape"
)

// Enclose replaces the node, which must have a body, by a new node with the same operator, inputs
// and outputs, and moves the node into a body of the new one. That body has an input for each input
// of the node and an output for each of its outputs; none may be omitted. inside returns the type
// that a value has in the body. The new node has this name, the body as the named attribute, and
// the other attributes.
func (n *Node) Enclose(name, attribute string, inside func(*Value) shape.Type, others ...*graphops.Attribute) *Node {
	g := n.graph
	body := &Graph{model: g.model, place: n.bodies[0].place}
	outer := g.newNode(n.spec)
	outer.bodies, outer.from = []*Graph{body}, n.from
	body.holder = outer
	e := graphops.EditGraph(n.bodies[0].origin)
	e.Nodes, e.Initializers, e.Sparse, e.Inputs, e.Outputs, e.ValueInfo = nil, nil, nil, nil, nil, nil
	item := func(v *Value) (*Value, *graphops.ValueInfo) {
		w := body.NewValue(v.name+"_item", inside(v))
		return w, graphops.NewValueInfo(w.name, w.known.ForFile())
	}
	outer.SetInputs(n.in...)
	for i, v := range n.in {
		w, info := item(v)
		w.input = true
		body.inputs, e.Inputs = append(body.inputs, w), append(e.Inputs, info)
		n.SetInput(i, w)
	}
	for i, v := range n.out {
		w, info := item(v)
		w.outputs++
		body.outputs, e.Outputs = append(body.outputs, w), append(e.Outputs, info)
		n.SetOutput(i, w)
		outer.SetOutput(i, v)
	}
	body.origin = e.Graph()
	outer.spec = outer.spec.WithName(name).WithAttributes(append([]*graphops.Attribute{graphops.GraphAttribute(attribute, body.origin)}, others...))
	g.insertBefore(n, outer)
	g.cut(n)
	body.insertBefore(nil, n)
	return outer
}
