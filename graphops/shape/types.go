package shape

import "lathe/graphops"

// takeTypes sets the outputs' types, without shapes, as the schema tells them: the
// only type that is allowed, or that of an input with the same type variable.
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

// bound is the type that the inputs bind a type variable to.
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

// withoutShape is a tensor's type alone. A sequence keeps what its elements are.
func (t Type) withoutShape() Type {
	if t.Kind == graphops.TypeTensor {
		t.Dims = nil
	}
	return t
}
