package half

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// setsType reports whether the attribute determines the element type of the node's output, as "to"
// of a Cast does.
func setsType(n *graphops.Node, attribute string) bool {
	switch attribute {
	case "to", "dtype", "output_dtype", "output_datatype":
		return graphops.HoldsElementType(n, attribute)
	}
	return false
}

// setAttributes makes the outputs of a node that become the target type have this type, where an
// attribute or the default of one says float32.
func (c *converter) setAttributes(p *plan) {
	if !slices.Contains(p.out, true) {
		return
	}
	for _, a := range p.spec.Attributes() {
		switch t := a.Tensor(); {
		case setsType(p.spec, a.Name()) && a.RefName() == "" && a.Int() == int64(tensor.F32):
			p.node.SetAttribute(a.WithValueOf(graphops.IntAttribute(a.Name(), int64(c.to))))
		case p.node.Is("ConstantOfShape") && a.Name() == "value" && t != nil && t.DType() == tensor.F32:
			if narrowed, _, err := c.narrowed(t); err == nil {
				p.node.SetAttribute(a.WithValueOf(graphops.TensorAttribute(a.Name(), narrowed)))
			}
		}
	}
	if a := c.implicit(p); a != nil {
		p.node.SetAttribute(a)
	}
}

// implicit returns the attribute to add to a node so that its output gets the target type; nil if
// none is needed. It is needed if the node leaves the attribute out and the default means float32.
func (c *converter) implicit(p *plan) *graphops.Attribute {
	_, hasValue := p.node.Attribute("value")
	_, hasType := p.node.Attribute("dtype")
	switch {
	case p.node.Is("ConstantOfShape") && !hasValue:
		return graphops.TensorAttribute("value", graphops.NewTensor("", c.to, []int64{1}, graphops.BytesPayload(make([]byte, 2))))
	case p.node.Is("SequenceEmpty") && !hasType:
		return graphops.IntAttribute("dtype", int64(c.to))
	}
	if schema := c.schema(p); schema != nil && p.node.Domain() == graphops.DefaultDomain {
		if a := impliedType(p.spec, schema); a != nil {
			return graphops.IntAttribute(a.Name, int64(c.to))
		}
	}
	return nil
}

// narrowConstant gives a Constant node its value in the target type, if the plan says so.
func (c *converter) narrowConstant(p *plan) {
	a, v := constantValue(p.spec), p.outputs[0]
	if known := c.of(v); a == nil || known.form != dense || !known.narrow {
		return
	}
	t, err := a.Dense("")
	if err != nil || t.DType() != tensor.F32 {
		return
	}
	if narrowed, from, err := c.narrowed(t); err == nil {
		c.stored[v] = from
		p.node.SetAttributes(graphops.TensorAttribute("value", narrowed))
	}
}

// narrowInitializers gives the initializers of a graph that the plan says the target type.
func (c *converter) narrowInitializers(g *rewrite.Graph) error {
	for _, v := range g.Values() {
		t, known := v.Stored(), c.of(v)
		if t == nil || known.form != dense || !known.narrow || t.DType() != tensor.F32 {
			continue
		}
		narrowed, from, err := c.narrowed(t)
		if err != nil {
			return err
		}
		c.stored[v] = from
		v.Put(narrowed)
	}
	return nil
}

// narrowed returns a float32 tensor in the target type, and what it is made of. A large tensor is converted each time it is
// read, so that it is not held in memory.
func (c *converter) narrowed(t *graphops.Tensor) (*graphops.Tensor, source, error) {
	from := source{t, c.o.narrowing(c.to), &tally{}}
	data, err := t.Data()
	if err != nil {
		return nil, from, err
	}
	payload := from.converted(data)
	if data.Len() <= 4*smallWeight { // converting a small tensor once is cheaper
		b, err := payload.Bytes()
		if err != nil {
			return nil, from, fmt.Errorf("tensor %q: %w", t.Name(), err)
		}
		payload = graphops.BytesPayload(b)
	}
	made := graphops.NewTensor(t.Name(), c.to, t.Dims(), payload)
	if doc := t.Doc(); doc != "" {
		made = made.WithDoc(doc)
	}
	if entries := t.Metadata(); len(entries) > 0 {
		made = made.WithMetadata(entries)
	}
	return made, from, nil
}

// smallWeight is the maximum number of elements of a tensor that is converted once and held in
// memory.
const smallWeight = 64
