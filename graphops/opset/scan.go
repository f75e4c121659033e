package opset

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
)

// unbatched replaces a Scan of version 8, which handles the items of a batch one by one. The result
// is a Scan over the batch whose body has a Scan over the sequence.
func unbatched(s *step) string {
	in := s.n.Inputs()
	switch {
	case len(in) < 2:
		return s.fail("it has %d inputs, expected at least 2", len(in))
	case in[0] != nil:
		return s.fail("it has sequence lengths %q, for which later versions have no input", in[0].Name())
	case slices.Contains(in[1:], nil):
		return s.fail("an input is omitted")
	}
	body, ok := s.n.Attribute("body")
	if !ok || len(body.Graphs()) != 1 {
		return s.fail("it has no body")
	}
	attributes := []*graphops.Attribute{body, graphops.IntAttribute("num_scan_inputs", s.int("num_scan_inputs", 0))}
	if d, ok := s.n.Attribute("directions"); ok {
		attributes = append(attributes, graphops.IntsAttribute("scan_input_directions", d.Ints()))
	}
	s.n.SetAttributes(attributes...)
	s.n.SetInputs(in[1:]...)
	for i, v := range s.n.Outputs() {
		if v == nil {
			s.n.SetOutput(i, s.n.Graph().NewValue(s.n.Out(0).Name()+"_unread", shape.Type{}))
		}
	}
	name := s.m.Names().NodeAfter(s.n.Name(), "_batch")
	s.n.Enclose(name, "body", s.itemType, graphops.IntAttribute("num_scan_inputs", int64(len(in)-1)))
	return "a Scan over the batch contains one over the sequence"
}

// itemType returns the type of one item of a batch: the type of the value without its first axis.
func (s *step) itemType(v *rewrite.Value) shape.Type {
	t := s.typ(v)
	if t.Kind != graphops.TypeTensor || len(t.Dims) == 0 {
		return shape.Type{}
	}
	t.Dims = t.Dims[1:]
	return t
}
