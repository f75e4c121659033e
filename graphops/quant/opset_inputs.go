package quant

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// movedAttributes are operators of which attributes became inputs, up to opset 11.
var movedAttributes = map[string]func(*carrier, *graphops.Place, *graphops.Node) (*graphops.Node, bool){
	"Clip": func(c *carrier, p *graphops.Place, n *graphops.Node) (*graphops.Node, bool) {
		return c.moved(p, n, []string{"min", "max"}, nil)
	},
	"Pad": func(c *carrier, p *graphops.Place, n *graphops.Node) (*graphops.Node, bool) {
		return c.moved(p, n, []string{"value"}, []string{"pads"})
	},
	"Slice": func(c *carrier, p *graphops.Place, n *graphops.Node) (*graphops.Node, bool) {
		return c.moved(p, n, nil, []string{"starts", "ends", "axes"})
	},
	"TopK": func(c *carrier, p *graphops.Place, n *graphops.Node) (*graphops.Node, bool) {
		return c.moved(p, n, nil, []string{"k"})
	},
}

// moved is a node with lists of integers, or one, as further inputs and then numbers
// of the type of its first input. What the node does not have is left out.
func (c *carrier) moved(p *graphops.Place, n *graphops.Node, numbers, integers []string) (*graphops.Node, bool) {
	inputs := n.Inputs()[:1:1]
	var left []*graphops.Attribute
	for _, a := range n.Attributes() {
		if !slices.Contains(numbers, a.Name()) && !slices.Contains(integers, a.Name()) {
			left = append(left, a)
		}
	}
	for _, name := range integers {
		inputs = append(inputs, c.integers(n, name))
	}
	for _, name := range numbers {
		input, ok := c.number(p, n, name)
		if !ok {
			return nil, false
		}
		inputs = append(inputs, input)
	}
	for inputs[len(inputs)-1] == "" {
		inputs = inputs[:len(inputs)-1]
	}
	return n.WithInputs(inputs).WithAttributes(left), true
}

// integers is the name of a constant for an attribute, "" where the node lacks it.
func (c *carrier) integers(n *graphops.Node, name string) string {
	a, ok := n.Attribute(name)
	if !ok {
		return ""
	}
	list := a.Ints()
	if a.Kind() == graphops.AttrInt {
		list = []int64{a.Int()}
	}
	return c.constant(n, name, tensor.FromSlice(list, int64(len(list))))
}

// number is the name of a scalar for an attribute, of the type of the first input.
func (c *carrier) number(p *graphops.Place, n *graphops.Node, name string) (input string, ok bool) {
	a, has := n.Attribute(name)
	if !has {
		return "", true
	}
	x, err := tensor.FromFloat64s(c.types.of(p, n.Inputs()[0]), []float64{float64(a.Float())})
	if err != nil {
		return "", false
	}
	return c.constant(n, name, x), true
}

func (c *carrier) constant(n *graphops.Node, attribute string, x tensor.Tensor) string {
	name := c.names.Value(n.Outputs()[0] + "_" + attribute)
	c.added = append(c.added, graphops.NewTensorOf(name, x))
	return name
}

// typeSource tells element types, inferred when first asked for.
type typeSource struct {
	ctx   context.Context
	model *graphops.Model
	found *shape.Result
}

func (s *typeSource) of(p *graphops.Place, name string) tensor.DType {
	if s.found == nil {
		var err error
		if s.found, err = shape.Infer(s.ctx, s.model, shape.Options{}); err != nil {
			s.found = &shape.Result{}
		}
	}
	id, ok := p.Graph.Index().Value(name)
	if !ok {
		return tensor.Undefined
	}
	if t := p.Type(id); t.Kind == graphops.TypeTensor && t.Elem != tensor.Undefined {
		return t.Elem
	}
	return s.found.Type(p, id).Elem
}
