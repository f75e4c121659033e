package quant

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// embedOperands lists the positions of the tables of words, positions and segments of
// com.microsoft EmbedLayerNormalization, and of its two vectors. Segments may be left out.
var embedOperands = []int{2, 3, 4, 5, 6}

const (
	embedSegments = 4
	embedMask     = 7
	embedEnd      = 8
	embedOutputs  = 2 // of QEmbedLayerNormalization; both are required
)

func embedObstacle(s *scope, n *graphops.Node) string {
	if len(n.Outputs()) > embedOutputs {
		return "outputs the sum of the embeddings, which QEmbedLayerNormalization does not support"
	}
	if !hasInputs(n, 1) || len(n.Inputs()) <= embedOperands[len(embedOperands)-1] {
		return "lacks an input or output"
	}
	if reason := s.lost(n, "QEmbedLayerNormalization", embedEnd); reason != "" {
		return reason
	}
	for _, at := range embedOperands {
		if reason := s.tableObstacle(n.Inputs()[at]); reason != "" && !(at == embedSegments && n.Inputs()[at] == "") {
			return reason
		}
	}
	return ""
}

// tableObstacle checks a table or vector, which may be computed.
func (s *scope) tableObstacle(name string) string {
	t := s.constant(name)
	switch {
	case name == "":
		return "lacks an input or output"
	case t == nil:
		return s.floatObstacle(name)
	case t.DType() != tensor.F32:
		return s.wrongType(name, t)
	case slices.Contains(t.Dims(), 0):
		s.report.depart(emptyWeight)
		return fmt.Sprintf("its weight %q has no elements", name)
	}
	return ""
}

// rewriteEmbed replaces an EmbedLayerNormalization by a QEmbedLayerNormalization.
func rewriteEmbed(s *scope, n *graphops.Node) error {
	var codes, scales, zeros []string
	var weights []weight
	for _, at := range embedOperands {
		var v value
		if name := n.Inputs()[at]; name != "" {
			var w weight
			var err error
			if v, w, err = s.embedOperand(name); err != nil {
				return err
			}
			weights = append(weights, w)
		}
		codes, scales, zeros = append(codes, v.q), append(scales, v.scale), append(zeros, v.zero)
	}
	s.nodes = append(s.nodes, graphops.NewNode(graphops.NodeSpec{
		Op: "QEmbedLayerNormalization", Domain: graphops.MicrosoftDomain, Name: s.names.NodeAfter(n.Name(), "_quant"),
		Inputs:  slices.Concat(n.Inputs()[:2], codes, []string{input(n, embedMask)}, scales, zeros),
		Outputs: s.embedOutputs(n.Outputs()), Attributes: n.Attributes(),
	}))
	s.done(n, weights...)
	return nil
}

// embedOutputs returns the outputs of the quantized node. The second, which has the lengths of
// the sequences, is required there and gets a name if it has none.
func (s *scope) embedOutputs(outputs []string) []string {
	if len(outputs) == embedOutputs && outputs[1] != "" {
		return outputs
	}
	s.report.depart(missingMaskOutput)
	return []string{outputs[0], s.names.Value(outputs[0] + "_mask_index")}
}

// embedOperand returns the quantized form of a table or vector.
func (s *scope) embedOperand(name string) (value, weight, error) {
	if t := s.constant(name); t != nil {
		return s.table(name, t)
	}
	return s.activation(name)
}
