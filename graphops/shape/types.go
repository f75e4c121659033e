package shape

import "lathe/graphops"

// takeTypes sets the outputs' types, without shapes, according to the schema: the only allowed
// type, or that of an input with the same type variable.
func (c *call) takeTypes() {
	for o := range c.out {
		p, ok := c.schema.Output(o)
		if !ok {
			continue
		}
		if types := p.Types(); len(types) == 1 {
			c.out[o].Type = FromFile(types[0])
		} else if p.Homogeneous {
			c.out[o].Type = c.bound(p.Type)
		}
	}
}

// bound returns the type that the inputs bind a type variable of the schema to.
func (c *call) bound(variable string) Type {
	for i := range c.in {
		if t := c.input(i).Type; t.Kind != graphops.TypeUnknown {
			if p, ok := c.schema.Input(i); ok && p.Type == variable && p.Homogeneous {
				return t.withoutShape()
			}
		}
	}
	return Type{}
}

// withoutShape returns only the type of a tensor. A sequence keeps its element type.
func (t Type) withoutShape() Type {
	if t.Kind == graphops.TypeTensor {
		t.Dims = nil
	}
	return t
}
