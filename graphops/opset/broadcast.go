package opset

import "lathe/graphops"

// broadcast aligns the second input of an elementwise operator. Before version 7, an attribute said
// to which axes of the first input its axes correspond. From version 7 on, they always correspond
// to the last ones.
func broadcast(s *step) string {
	on := s.int("broadcast", 0)
	axis := int64(-1)
	if on != 0 {
		axis = s.int("axis", -1)
	}
	if !s.n.DropAttributes("broadcast", "axis", "consumed_inputs") {
		return ""
	}
	if axis == -1 {
		return "broadcasting is implicit"
	}
	if count := len(s.n.Inputs()); count != 2 {
		return s.fail("it has %d inputs, expected 2", count)
	}
	a, b := s.rank(s.n.In(0)), s.rank(s.n.In(1))
	behind := int64(a) - axis - int64(b)
	switch {
	case axis < 0 || axis > int64(a) || behind < 0:
		return s.fail("axis %d is not valid for inputs of rank %d and %d", axis, a, b)
	case behind == 0:
		return "broadcasting is implicit"
	}
	return s.spread(b, int(behind))
}

// spread adds axes of size 1 to the second input, after its last axis. rank is the number of its
// axes, and behind is how many are added.
func (s *step) spread(rank, behind int) string {
	axes := make([]int64, behind)
	for i := range axes {
		axes[i] = int64(rank + i)
	}
	v := s.n.In(1)
	wide := s.value(v, "spread", s.typ(v).Elem)
	s.ahead("Unsqueeze", wide, values{v}, graphops.IntsAttribute("axes", axes))
	s.n.SetInput(1, wide)
	return "an Unsqueeze aligns the second input with its axes"
}

// slopes adds axes to the slopes of a PRelu, if they have only one axis, to align them with the
// channels.
func slopes(s *step) string {
	if count := len(s.n.Inputs()); count != 2 {
		return s.fail("it has %d inputs, expected 2", count)
	}
	rank := s.rank(s.n.In(1))
	if size, ok := s.size(s.n.In(1), 0); rank != 1 || ok && size == 1 {
		return ""
	}
	if of := s.rank(s.n.In(0)); of > 2 {
		return s.spread(1, of-2)
	}
	return ""
}
