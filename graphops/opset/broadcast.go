package opset

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// broadcast aligns the second input of an elementwise operator. Before version 7, an attribute said
// to which axes of the first input its axes correspond. From version 7 on, they always correspond
// to the last ones.
func broadcast(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	on, err := intOr(n, "broadcast", 0)
	if err != nil {
		return nil, err
	}
	axis, told, err := told(n, "axis")
	if err != nil {
		return nil, err
	}
	next := without(n, "broadcast", "axis", "consumed_inputs")
	if next == n {
		return []*graphops.Node{n}, nil
	}
	if on == 0 || !told || axis.Int() == -1 {
		return s.one(next, "broadcasting is implicit")
	}
	if len(n.Inputs()) != 2 {
		return nil, fmt.Errorf("it has %d inputs, expected 2", len(n.Inputs()))
	}
	a, err := s.rank(n.Inputs()[0])
	if err != nil {
		return nil, err
	}
	b, err := s.rank(n.Inputs()[1])
	if err != nil {
		return nil, err
	}
	behind := a - int(axis.Int()) - b
	if axis.Int() < 0 || axis.Int() > int64(a) || behind < 0 {
		return nil, fmt.Errorf("axis %d is not valid for inputs of rank %d and %d", axis.Int(), a, b)
	}
	if behind == 0 {
		return s.one(next, "broadcasting is implicit")
	}
	return s.spread(next, 1, b, behind)
}

// spread adds axes of size 1 to an input, after its last axis. rank is the number of its axes, and
// behind is how many are added.
func (s *step) spread(n *graphops.Node, input, rank, behind int) ([]*graphops.Node, error) {
	axes := make([]int64, behind)
	for i := range axes {
		axes[i] = int64(rank + i)
	}
	name := s.fresh(n.Inputs()[input]+"_spread", shape.Type{Kind: graphops.TypeTensor, Elem: s.typ(n.Inputs()[input]).Elem})
	inputs := slices.Clone(n.Inputs())
	unsqueeze := s.follow(n, "Unsqueeze", inputs[input:input+1], []string{name}, graphops.IntsAttribute("axes", axes))
	inputs = slices.Clone(inputs)
	inputs[input] = name
	s.said = "an Unsqueeze aligns the second input with its axes"
	return []*graphops.Node{unsqueeze, n.WithInputs(inputs)}, nil
}

// slopes adds axes to the slopes of a PRelu, if they have only one axis, to align them with the
// channels.
func slopes(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	if len(n.Inputs()) != 2 {
		return nil, fmt.Errorf("it has %d inputs, expected 2", len(n.Inputs()))
	}
	rank, err := s.rank(n.Inputs()[1])
	if err != nil {
		return nil, err
	}
	if size, ok := s.size(n.Inputs()[1], 0); rank != 1 || ok && size == 1 {
		return []*graphops.Node{n}, nil
	}
	of, err := s.rank(n.Inputs()[0])
	if err != nil {
		return nil, err
	}
	if of <= 2 {
		return []*graphops.Node{n}, nil
	}
	return s.spread(n, 1, 1, of-2)
}
