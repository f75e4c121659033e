package shape

import (
	"lathe/graphops"
	"lathe/graphops/tensor"
)

// optionals has the rules of operators on optional values, which may be missing.
var optionals = family{"Optional": optional, "OptionalGetElement": optionalElement, "OptionalHasElement": optionalHas}

func optional(c *call) {
	if len(c.out) == 0 {
		return
	}
	c.out[0].Type = Type{Kind: graphops.TypeOptional}
	if t := c.input(0).Type; t.Kind != graphops.TypeUnknown {
		c.out[0].Of = &t
	}
}

func optionalElement(c *call) {
	t := c.input(0).Type
	switch {
	case len(c.out) == 0:
	case t.Kind != graphops.TypeOptional:
		c.pass()
	case t.Of != nil:
		c.out[0].Type = *t.Of
	}
}

// optionalHas is the rule of OptionalHasElement. The result is known if the input is not an
// optional: true if it is given, otherwise false.
func optionalHas(c *call) {
	c.outTensor(0, tensor.Bool, numbers())
	switch t := c.input(0).Type; {
	case !c.has(0):
		c.outElems(0, []elem{boolElem(false)})
	case t.Kind != graphops.TypeOptional && t.Kind != graphops.TypeUnknown:
		c.outElems(0, []elem{boolElem(true)})
	default:
		c.outElems(0, []elem{unknownTruth()})
	}
}
