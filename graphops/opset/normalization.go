package opset

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// testMode removes the attribute is_test of a BatchNormalization. If it is 0, the node normalizes
// with the statistics of the batch. In versions 7 to 13, several outputs express that.
func testMode(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	test, err := intOr(n, "is_test", 0)
	if err != nil {
		return nil, err
	}
	next := without(n, "is_test")
	if test != 0 {
		if extra := s.extra(n); extra != "" {
			return nil, fmt.Errorf("it has is_test=1 and the output %q, which exists only in training", extra)
		}
		return s.one(next.WithOutputs(n.Outputs()[:1]), "is_test removed")
	}
	outputs := slices.Clone(n.Outputs())
	for i, name := range []string{"mean", "var", "saved_mean", "saved_var"} {
		if len(outputs) == i+1 {
			outputs = append(outputs, "")
		}
		if outputs[i+1] == "" {
			outputs[i+1] = s.fresh(n.Outputs()[0]+"_"+name, shape.Type{Kind: graphops.TypeTensor, Elem: s.typ(n.Inputs()[0]).Elem})
		}
	}
	return s.one(next.WithOutputs(outputs), "the outputs express training instead of is_test")
}

// extra returns the name of the first output after output 0 that something reads, or "".
func (s *step) extra(n *graphops.Node) string {
	for _, name := range n.Outputs()[1:] {
		if s.wanted(name) {
			return name
		}
	}
	return ""
}

// testModeDropout removes the attribute is_test of a Dropout.
func testModeDropout(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	test, err := intOr(n, "is_test", 0)
	if err != nil {
		return nil, err
	}
	if test == 0 {
		return nil, fmt.Errorf("it drops elements because is_test is not 1, which versions 7 to 11 cannot express")
	}
	return s.one(without(n, "is_test"), "is_test removed")
}

// spatial removes the attribute spatial of a BatchNormalization. If it is 0, each element has
// statistics of its own. The node is then replaced by nodes that compute the same.
func spatial(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	on, err := intOr(n, "spatial", 1)
	if err != nil {
		return nil, err
	}
	if on != 0 {
		return s.one(without(n, "spatial"), "spatial removed")
	}
	if extra := s.extra(n); extra != "" || len(n.Inputs()) != 5 {
		return nil, fmt.Errorf("it has spatial=0 and the output %q", extra)
	}
	epsilon, ok, err := told(n, "epsilon")
	if err != nil {
		return nil, err
	}
	d, err := s.element(n.Inputs()[0])
	if err != nil {
		return nil, err
	}
	by := 1e-5
	if ok {
		by = float64(epsilon.Float())
	}
	eps, err := tensor.FromFloat64s(d, []float64{by})
	if err != nil {
		return nil, err
	}
	in, y := n.Inputs(), n.Outputs()[0]
	value := func(what string) string {
		return s.fresh(y+"_"+what, shape.Type{Kind: graphops.TypeTensor, Elem: d})
	}
	centred, shifted, deviation, normal, scaled := value("centred"), value("variance"), value("deviation"), value("normal"), value("scaled")
	s.said = "spatial=0 becomes Sub, Add, Sqrt, Div, Mul and Add, each of which rounds"
	return []*graphops.Node{
		s.follow(n, "Sub", []string{in[0], in[3]}, []string{centred}),
		s.follow(n, "Add", []string{in[4], s.keep(n, "epsilon", eps)}, []string{shifted}),
		s.follow(n, "Sqrt", []string{shifted}, []string{deviation}),
		s.follow(n, "Div", []string{centred, deviation}, []string{normal}),
		s.follow(n, "Mul", []string{normal, in[1]}, []string{scaled}),
		s.follow(n, "Add", []string{scaled, in[2]}, []string{y}),
	}, nil
}

// trainingMode adds the attribute training_mode of a BatchNormalization of version 14. Before, a
// node with several outputs was in training mode.
func trainingMode(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	outputs := n.Outputs()
	named := 0
	for _, name := range outputs {
		if name != "" {
			named++
		}
	}
	if named == 1 {
		if len(outputs) == 1 {
			return []*graphops.Node{n}, nil
		}
		return s.one(n.WithOutputs(outputs[:1]), "omitted outputs removed")
	}
	for _, name := range outputs[min(3, len(outputs)):] {
		if s.wanted(name) {
			return nil, fmt.Errorf("it has the output %q, the statistics of the batch, which version 14 does not have", name)
		}
	}
	outputs = slices.Clone(outputs[:min(3, len(outputs))])
	for i, what := range []string{"", "mean", "var"} {
		if i == len(outputs) {
			outputs = append(outputs, "")
		}
		if i > 0 && outputs[i] == "" {
			outputs[i] = s.fresh(n.Outputs()[0]+"_"+what, shape.Type{Kind: graphops.TypeTensor, Elem: s.typ(n.Inputs()[0]).Elem})
		}
	}
	return s.one(with(n, graphops.IntAttribute("training_mode", 1)).WithOutputs(outputs), "training_mode=1 expresses what the outputs did")
}

// perChannel converts a GroupNormalization. Its scales and biases are given for each group, and
// version 21 requires them for each channel, so they are repeated. Version 21 also added the
// attribute stash_type. Its default, float32, is the type in which earlier versions compute.
func perChannel(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	groups, err := intOr(n, "num_groups", 0)
	if err != nil {
		return nil, err
	}
	if len(n.Inputs()) != 3 || groups < 1 {
		return nil, fmt.Errorf("it has %d inputs and %d groups, expected 3 and at least 1", len(n.Inputs()), groups)
	}
	channels, ok := s.size(n.Inputs()[0], 1)
	if !ok || channels < groups || channels%groups != 0 {
		return nil, fmt.Errorf("the number of channels of %q is not known or not a multiple of %d, but scales are per channel from version 21 on", n.Inputs()[0], groups)
	}
	d, err := s.element(n.Inputs()[0])
	if err != nil {
		return nil, err
	}
	apart := s.keep(n, "groups", tensor.FromSlice([]int64{groups, 1}, 2))
	each := s.keep(n, "channels", tensor.FromSlice([]int64{groups, channels / groups}, 2))
	all := s.keep(n, "all", tensor.FromSlice([]int64{-1}, 1))
	var nodes []*graphops.Node
	inputs := slices.Clone(n.Inputs())
	for i, what := range []string{"", "scale", "bias"} {
		if i == 0 {
			continue
		}
		base := n.Outputs()[0] + "_" + what
		t := shape.Type{Kind: graphops.TypeTensor, Elem: d}
		column, repeated, list := s.fresh(base+"_groups", t), s.fresh(base+"_repeated", t), s.fresh(base+"_channels", t)
		nodes = append(nodes,
			s.follow(n, "Reshape", []string{inputs[i], apart}, []string{column}),
			s.follow(n, "Expand", []string{column, each}, []string{repeated}),
			s.follow(n, "Reshape", []string{repeated, all}, []string{list}))
		inputs[i] = list
	}
	s.said = "scales and biases are per channel"
	return append(nodes, n.WithInputs(inputs)), nil
}
