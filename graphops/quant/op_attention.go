package quant

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

// Positions of the inputs of com.microsoft Attention that QAttention also has.
const (
	attentionBias = 2
	attentionMask = 3
	attentionPast = 4
	attentionEnd  = 5
)

func attentionObstacle(s *scope, n *graphops.Node) string {
	if !hasInputs(n, 2) {
		return "lacks an input or output"
	}
	x, w := n.Input(0), n.Input(1)
	t := s.constant(w)
	if _, varied := n.Attribute("qkv_hidden_sizes"); varied {
		return "has different sizes for query, keys and values, which QAttention does not support"
	}
	for _, reason := range []string{s.lost(n, "QAttention", attentionEnd), s.floatObstacle(x)} {
		if reason != "" {
			return reason
		}
	}
	switch {
	case input(n, attentionBias) == "":
		s.report.depart(lostOperand)
		return "has no bias, which QAttention needs"
	case t == nil:
		return s.floatObstacle(w)
	case t.DType() != tensor.F32:
		return s.wrongType(w, t)
	case slices.Contains(t.Dims(), 0):
		s.report.depart(emptyWeight)
		return fmt.Sprintf("its weight %q has no elements", w)
	case len(t.Dims()) != 2:
		return fmt.Sprintf("its weight %q has rank %d, expected a matrix", w, len(t.Dims()))
	}
	return ""
}

// lost returns why a node cannot be replaced by its quantized operator: it has an attribute, or an
// input from position end on, that the quantized operator does not have. It returns "" if there is
// none.
func (s *scope) lost(n *graphops.Node, quantized string, end int) string {
	for at := end; at < len(n.Inputs()); at++ {
		if n.Inputs()[at] != "" {
			s.report.depart(lostOperand)
			return fmt.Sprintf("reads %q as its input %d, which %s does not have", n.Inputs()[at], at, quantized)
		}
	}
	schema, ok := opschema.Find(graphops.MicrosoftDomain, quantized, 1)
	for _, a := range n.Attributes() {
		if _, has := schema.Attribute(a.Name()); ok && !has {
			s.report.depart(lostOperand)
			return fmt.Sprintf("has the attribute %s, which %s does not have", a.Name(), quantized)
		}
	}
	return ""
}

// floatObstacle checks a value that is quantized while the model runs.
func (s *scope) floatObstacle(name string) string {
	switch e := s.elementType(name); e {
	case tensor.F32, tensor.Undefined:
		return ""
	case tensor.F16:
		s.report.depart(float16Weight)
		fallthrough
	default:
		return fmt.Sprintf("its input %q is %s, expected f32", name, e)
	}
}

// rewriteAttention replaces an Attention by a QAttention, with one scale for each column of the
// weight if the options ask for scales per channel.
func rewriteAttention(s *scope, n *graphops.Node) error {
	x, first, err := s.activation(n.Input(0))
	if err != nil {
		return err
	}
	w, size, err := s.secondFactor(n.Input(1))
	if err != nil {
		return err
	}
	for _, at := range []int{attentionBias, attentionMask, attentionPast} {
		s.restore(input(n, at))
	}
	s.nodes = append(s.nodes, graphops.NewNode(graphops.NodeSpec{
		Op: "QAttention", Domain: graphops.MicrosoftDomain, Name: s.names.NodeAfter(n.Name(), "_quant"),
		Inputs: []string{
			x.q, w.q, n.Inputs()[attentionBias], x.scale, w.scale,
			input(n, attentionMask), x.zero, w.zero, input(n, attentionPast),
		},
		Outputs: n.Outputs(), Attributes: n.Attributes(),
	}))
	s.done(n, size, first)
	return nil
}
