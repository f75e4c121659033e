package opset

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
)

// testMode removes the attribute is_test of a BatchNormalization. If it is 0, the node normalizes
// with the statistics of the batch. In versions 7 to 13, several outputs express that.
func testMode(s *step) string {
	test := s.int("is_test", 0)
	s.n.DropAttributes("is_test")
	if test == 0 {
		s.addOutputs("mean", "var", "saved_mean", "saved_var")
		return "the outputs express training instead of is_test"
	}
	if extra := s.extra(1); extra != nil {
		return s.fail("it has is_test=1 and the output %q, which exists only in training", extra.Name())
	}
	s.n.LeaveOutFrom(1)
	return "is_test removed"
}

// addOutputs adds the outputs after the first one that the node leaves out. names are their roles.
func (s *step) addOutputs(names ...string) {
	elem := s.typ(s.n.In(0)).Elem
	for i, name := range names {
		if s.n.Out(i+1) == nil {
			s.n.SetOutput(i+1, s.value(s.n.Out(0), name, elem))
		}
	}
}

// extra returns the first output from position i on that something reads, or nil.
func (s *step) extra(i int) *rewrite.Value {
	list := s.n.Outputs()
	if at := slices.IndexFunc(list[min(i, len(list)):], (*rewrite.Value).IsUsed); at >= 0 {
		return list[i+at]
	}
	return nil
}

// testModeDropout removes the attribute is_test of a Dropout.
func testModeDropout(s *step) string {
	if s.int("is_test", 0) == 0 {
		return s.fail("it drops elements because is_test is not 1, which versions 7 to 11 cannot express")
	}
	s.n.DropAttributes("is_test")
	return "is_test removed"
}

// spatial removes the attribute spatial of a BatchNormalization. If it is 0, each element has
// statistics of its own. The node is then replaced by nodes that compute the same.
func spatial(s *step) string {
	if s.int("spatial", 1) != 0 {
		s.n.DropAttributes("spatial")
		return "spatial removed"
	}
	in, y := s.n.Inputs(), s.n.Out(0)
	if extra := s.extra(1); extra != nil || len(in) != 5 {
		return s.fail("it has spatial=0 and the output %q", extra.Name())
	}
	epsilon, d := s.float("epsilon", 1e-5), s.element(in[0])
	centred, shifted, deviation := s.value(y, "centred", d), s.value(y, "variance", d), s.value(y, "deviation", d)
	normal, scaled := s.value(y, "normal", d), s.value(y, "scaled", d)
	s.ahead("Sub", centred, values{in[0], in[3]})
	s.ahead("Add", shifted, values{in[4], s.number("epsilon", d, []float64{epsilon})})
	s.ahead("Sqrt", deviation, values{shifted})
	s.ahead("Div", normal, values{centred, deviation})
	s.ahead("Mul", scaled, values{normal, in[1]})
	s.become("Add", values{scaled, in[2]})
	s.n.LeaveOutFrom(1)
	return "spatial=0 becomes Sub, Add, Sqrt, Div, Mul and Add, each of which rounds"
}

// trainingMode adds the attribute training_mode of a BatchNormalization of version 14. Before, a
// node with several outputs was in training mode.
func trainingMode(s *step) string {
	outputs := s.n.Outputs()
	switch {
	case len(outputs) < 2:
		return ""
	case !slices.ContainsFunc(outputs[1:], func(v *rewrite.Value) bool { return v != nil }):
		s.n.LeaveOutFrom(1)
		return "omitted outputs removed"
	}
	if extra := s.extra(3); extra != nil {
		return s.fail("it has the output %q, the statistics of the batch, which version 14 does not have", extra.Name())
	}
	s.n.LeaveOutFrom(3)
	s.addOutputs("mean", "var")
	s.n.SetAttribute(graphops.IntAttribute("training_mode", 1))
	return "training_mode=1 expresses what the outputs did"
}

// perChannel converts a GroupNormalization. Its scales and biases are given for each group, and
// version 21 requires them for each channel, so they are repeated. Version 21 also added the
// attribute stash_type. Its default, float32, is the type in which earlier versions compute.
func perChannel(s *step) string {
	in, groups := s.n.Inputs(), s.int("num_groups", 0)
	if len(in) != 3 || groups < 1 {
		return s.fail("it has %d inputs and %d groups, expected 3 and at least 1", len(in), groups)
	}
	channels, ok := s.size(in[0], 1)
	if !ok || channels < groups || channels%groups != 0 {
		return s.fail("the number of channels of %q is not known or not a multiple of %d, but scales are per channel from version 21 on", in[0].Name(), groups)
	}
	y, d := s.n.Out(0), s.element(in[0])
	apart, each, all := s.list("groups", groups, 1), s.list("channels", groups, channels/groups), s.list("all", -1)
	for i, what := range []string{"scale", "bias"} {
		column, repeated, list := s.value(y, what+"_groups", d), s.value(y, what+"_repeated", d), s.value(y, what+"_channels", d)
		s.ahead("Reshape", column, values{in[i+1], apart})
		s.ahead("Expand", repeated, values{column, each})
		s.ahead("Reshape", list, values{repeated, all})
		s.n.SetInput(i+1, list)
	}
	return "scales and biases are per channel"
}
