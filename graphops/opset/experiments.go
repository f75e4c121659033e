package opset

import (
	"fmt"
	"math"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// numbers returns the values of numeric attributes. otherwise has their defaults, for a node that
// leaves them out; NaN means that the attribute is required.
func numbers(n *graphops.Node, names []string, otherwise ...float64) ([]float64, error) {
	out := make([]float64, len(names))
	for i, name := range names {
		a, ok, err := told(n, name)
		switch {
		case err != nil:
			return nil, err
		case ok:
			out[i] = float64(a.Float())
		case math.IsNaN(otherwise[i]):
			return nil, fmt.Errorf("attribute %q is missing", name)
		default:
			out[i] = otherwise[i]
		}
	}
	return out, nil
}

// chain creates a sequence of nodes that replaces a node. Each reads the output of the previous
// one. The first reads the first input of the replaced node, and the last produces its output.
type chain struct {
	s     *step
	n     *graphops.Node
	elem  tensor.DType
	last  string
	nodes []*graphops.Node
}

func (s *step) chain(n *graphops.Node) (*chain, error) {
	if len(n.Inputs()) == 0 || len(n.Outputs()) != 1 {
		return nil, fmt.Errorf("it has %d inputs and %d outputs", len(n.Inputs()), len(n.Outputs()))
	}
	d, err := s.element(n.Inputs()[0])
	return &chain{s: s, n: n, elem: d, last: n.Inputs()[0]}, err
}

// then appends a node that reads the output of the previous one.
func (c *chain) then(op string, with ...string) {
	out := c.s.fresh(c.n.Outputs()[0]+"_"+op, shape.Type{Kind: graphops.TypeTensor, Elem: c.elem})
	c.nodes = append(c.nodes, c.s.follow(c.n, op, append([]string{c.last}, with...), []string{out}))
	c.last = out
}

// by appends a node whose second input is a constant: one number for all elements, or one for each
// channel.
func (c *chain) by(op, what string, x ...float64) error {
	var sizes []int64
	if len(x) > 1 {
		sizes = []int64{int64(len(x)), 1, 1}
	}
	t, err := tensor.FromFloat64s(c.elem, x, sizes...)
	if err != nil {
		return err
	}
	c.then(op, c.s.keep(c.n, what, t))
	return nil
}

// end gives the last node of the chain the outputs and the name of the replaced node, and returns
// all nodes.
func (c *chain) end(what string) ([]*graphops.Node, error) {
	at := len(c.nodes) - 1
	c.nodes[at] = c.nodes[at].WithOutputs(c.n.Outputs()).WithName(c.n.Name())
	c.s.said = what
	return c.nodes, nil
}

// affine replaces an Affine, which computes alpha·x + beta.
func affine(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	by, err := numbers(n, []string{"alpha", "beta"}, 1, 0)
	if err != nil {
		return nil, err
	}
	c, err := s.chain(n)
	if err != nil {
		return nil, err
	}
	if err := c.by("Mul", "alpha", by[0]); err != nil {
		return nil, err
	}
	if err := c.by("Add", "beta", by[1]); err != nil {
		return nil, err
	}
	return c.end("replaced by a Mul and an Add")
}

// imageScaler replaces an ImageScaler, which multiplies all elements by a number and adds a number
// for each channel.
func imageScaler(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	by, err := numbers(n, []string{"scale"}, 1)
	if err != nil {
		return nil, err
	}
	bias, ok, err := told(n, "bias")
	if err != nil {
		return nil, err
	}
	if !ok || len(bias.Floats()) == 0 || len(bias.Floats()) > maxElements {
		return nil, fmt.Errorf("attribute \"bias\" must have a number for each channel")
	}
	c, err := s.chain(n)
	if err != nil {
		return nil, err
	}
	if err := c.by("Mul", "scale", by[0]); err != nil {
		return nil, err
	}
	channels := make([]float64, len(bias.Floats()))
	for i, x := range bias.Floats() {
		channels[i] = float64(x)
	}
	if err := c.by("Add", "bias", channels...); err != nil {
		return nil, err
	}
	return c.end("replaced by a Mul and an Add")
}

// scale replaces a Scale, which multiplies all elements by a number.
func scale(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	by, err := numbers(n, []string{"scale"}, 1)
	if err != nil {
		return nil, err
	}
	c, err := s.chain(n)
	if err != nil {
		return nil, err
	}
	if err := c.by("Mul", "scale", by[0]); err != nil {
		return nil, err
	}
	return c.end("it is a Mul")
}

// between returns an adapter for an operator that computes alpha·op(beta·x).
func between(op string) adapter {
	return func(s *step, n *graphops.Node) ([]*graphops.Node, error) {
		by, err := numbers(n, []string{"alpha", "beta"}, math.NaN(), math.NaN())
		if err != nil {
			return nil, err
		}
		c, err := s.chain(n)
		if err != nil {
			return nil, err
		}
		if err := c.by("Mul", "beta", by[1]); err != nil {
			return nil, err
		}
		c.then(op)
		if err := c.by("Mul", "alpha", by[0]); err != nil {
			return nil, err
		}
		return c.end("it is a " + op + " between two Mul")
	}
}

// crop replaces a Crop by a Slice of height and width. The attribute border says how many elements
// are removed at the left, top, right and bottom.
func crop(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	border, ok, err := told(n, "border")
	if err != nil {
		return nil, err
	}
	if !ok || len(border.Ints()) != 4 {
		return nil, fmt.Errorf("attribute \"border\" must have 4 numbers")
	}
	size, sized, err := told(n, "scale")
	if err != nil {
		return nil, err
	}
	left, top, right, bottom := border.Ints()[0], border.Ints()[1], border.Ints()[2], border.Ints()[3]
	ends := []int64{fromEnd(bottom), fromEnd(right)}
	switch {
	case sized && len(size.Ints()) == 2:
		ends = []int64{top + size.Ints()[0], left + size.Ints()[1]}
	case sized && len(size.Ints()) != 0:
		return nil, fmt.Errorf("attribute \"scale\" must have 2 numbers")
	}
	if min(left, top, right, bottom) < 0 {
		return nil, fmt.Errorf("attribute \"border\" has numbers below 0")
	}
	inputs := []string{
		n.Inputs()[0], s.keep(n, "starts", tensor.FromSlice([]int64{top, left}, 2)),
		s.keep(n, "ends", tensor.FromSlice(ends, 2)), s.keep(n, "axes", tensor.FromSlice([]int64{2, 3}, 2)),
	}
	return s.one(become(n, "Slice", inputs, nil), "it is a Slice")
}

// fromEnd returns the end index for a Slice that leaves out the last out elements.
func fromEnd(out int64) int64 {
	if out == 0 {
		return math.MaxInt64
	}
	return -out
}

// dynamicSlice replaces DynamicSlice by its later name, Slice.
func dynamicSlice(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	return s.one(become(n, "Slice", n.Inputs(), n.Attributes()), "it is a Slice")
}
