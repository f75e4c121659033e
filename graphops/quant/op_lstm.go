package quant

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Positions of the inputs of an LSTM.
const (
	lstmInput   = 0
	lstmWeights = 1 // W, the weights for the input
	lstmRecur   = 2 // R, the weights for the previous result
	lstmHidden  = 5 // the initial states
	lstmCell    = 6
	lstmInputs  = 8
)

func lstmObstacle(s *scope, n *graphops.Node) string {
	if len(n.Inputs()) < 3 || n.Input(0) == "" || len(n.Outputs()) == 0 {
		return "lacks an input or output"
	}
	x := n.Inputs()[lstmInput]
	switch e := s.elementType(x); {
	case e == tensor.F16:
		s.report.depart(float16Weight)
		return fmt.Sprintf("its input %q is f16, expected f32", x)
	case e != tensor.F32:
		return fmt.Sprintf("its input %q is not known to be float32", x)
	}
	if a, ok := n.Attribute("layout"); ok && a.Int() != 0 && a.Int() != 1 {
		s.report.depart(lostOperand)
		return fmt.Sprintf("has layout %d, expected 0 or 1", a.Int())
	}
	for _, at := range []int{lstmWeights, lstmRecur} {
		if reason := s.gatesObstacle(n.Inputs()[at]); reason != "" {
			return reason
		}
	}
	return ""
}

// gatesObstacle checks the weights of an LSTM.
func (s *scope) gatesObstacle(name string) string {
	t := s.constant(name)
	switch {
	case t == nil:
		return fmt.Sprintf("its weight %q is not a constant", name)
	case t.DType() != tensor.F32:
		return s.wrongType(name, t)
	case len(t.Dims()) != 3:
		return fmt.Sprintf("its weight %q has rank %d, expected 3", name, len(t.Dims()))
	case slices.Contains(t.Dims(), 0):
		s.report.depart(emptyWeight)
		return fmt.Sprintf("its weight %q has no elements", name)
	case s.o.PerChannel && (t.Dims()[0] > maxChannels || t.Dims()[1] > maxChannels/t.Dims()[0]):
		return fmt.Sprintf("its weight %q is %s, but at most %d channels are supported", name, tensor.FormatShape(t.Dims()), maxChannels)
	}
	return ""
}

// rewriteLSTM replaces an LSTM by a DynamicQuantizeLSTM, which quantizes its input itself.
func rewriteLSTM(s *scope, n *graphops.Node) error {
	if s.owner(n.Inputs()[lstmWeights]) != s || s.owner(n.Inputs()[lstmRecur]) != s {
		s.report.depart(weightElsewhere)
	}
	w, first, err := s.gates(n.Inputs()[lstmWeights])
	if err != nil {
		return err
	}
	r, second, err := s.gates(n.Inputs()[lstmRecur])
	if err != nil {
		return err
	}
	s.owner(n.Inputs()[lstmInput]).dequantize(n.Inputs()[lstmInput])
	inputs := []string{n.Inputs()[lstmInput], w.q, r.q}
	for at := lstmRecur + 1; at < lstmInputs; at++ {
		s.restore(input(n, at))
		inputs = append(inputs, input(n, at))
	}
	outputs := n.Outputs()
	batchFirst := flag(n, "layout")
	if batchFirst {
		s.report.depart(batchAxisFirst)
		inputs, outputs = s.sequenceFirst(inputs, outputs)
	}
	s.nodes = append(s.nodes, graphops.NewNode(graphops.NodeSpec{
		Op: "DynamicQuantizeLSTM", Domain: graphops.MicrosoftDomain, Name: s.names.NodeAfter(n.Name(), "_quant"),
		Inputs: append(inputs, w.scale, w.zero, r.scale, r.zero), Outputs: outputs,
		Attributes: slices.DeleteFunc(slices.Clone(n.Attributes()), func(a *graphops.Attribute) bool { return a.Name() == "layout" }),
	}))
	if batchFirst {
		s.batchFirst(outputs, n.Outputs())
	}
	s.done(n, first, second)
	return nil
}

// DynamicQuantizeLSTM has layout 0 only. swappedFirst permutes the operands and states of an
// LSTM of layout 1, [batch, sequence, …] and [batch, directions, …], to layout 0, and back.
// batchedY permutes Y from [sequence, directions, batch, hidden] of layout 0 to layout 1.
var (
	swappedFirst = []int64{1, 0, 2}
	batchedY     = []int64{2, 0, 1, 3}
)

// sequenceFirst emits nodes that transpose X and the states from layout 1 to layout 0, and
// returns the names of the inputs and outputs in layout 0.
func (s *scope) sequenceFirst(inputs, outputs []string) (in, out []string) {
	in, out = slices.Clone(inputs), slices.Clone(outputs)
	for _, at := range []int{lstmInput, lstmHidden, lstmCell} {
		if in[at] != "" {
			in[at] = s.names.Value(in[at] + "_sequence_first")
			s.emit("", "Transpose", []string{inputs[at]}, in[at], graphops.IntsAttribute("perm", swappedFirst))
		}
	}
	for at, name := range out {
		if name != "" {
			out[at] = s.names.Value(name + "_sequence_first")
		}
	}
	return in, out
}

// batchFirst emits nodes that transpose the results of an LSTM from layout 0 to layout 1.
func (s *scope) batchFirst(from, to []string) {
	for at, name := range to {
		perm := swappedFirst
		if at == 0 {
			perm = batchedY
		}
		if name != "" {
			s.emit("", "Transpose", []string{from[at]}, name, graphops.IntsAttribute("perm", perm))
		}
	}
}

// gates returns the quantized form of the weights of an LSTM, [directions, 4·hidden, in]. They
// are int8 whatever the options say, transposed for each direction, with one scale for each
// direction or for each of its rows. No other operator can read them.
func (s *scope) gates(name string) (value, weight, error) {
	s = s.owner(name)
	t := s.constant(name)
	key := form{name: name, gates: true}
	if v, ok := s.others[key]; ok {
		s.report.depart(sharedGates)
		return v, weight{name: name}, nil
	}
	if !s.onlyGates(name) {
		s.report.depart(sharedGates)
	}
	v, w, err := s.quantizeConstant(name, name, t, s.gatesRecipe(t.Dims()))
	if err == nil {
		s.others[key] = v
	}
	return v, w, err
}

func (s *scope) gatesRecipe(dims []int64) recipe {
	rule := tensor.AffineRule{Type: tensor.I8, Symmetric: s.o.WeightSymmetric != Asymmetric, Reduced: s.o.ReduceRange}
	if !s.o.PerChannel {
		return recipe{rule, tensor.ChannelsAlong(dims, 0), dims[:1], dims[0]}
	}
	if !rule.Symmetric {
		s.report.depart(asymmetricGates)
		rule.Symmetric = true
	}
	return recipe{rule, tensor.Channels{Count: dims[0] * dims[1], Inner: dims[2]}, dims[:2], dims[0]}
}

// onlyGates reports whether the only reader of a constant is one LSTM.
func (s *scope) onlyGates(name string) bool {
	id, _ := s.index.Value(name)
	readers := 0
	s.eachReader(name, func(*scope, int, int) bool { readers++; return true })
	return readers == 1 && !s.index.IsOutput(id) && !s.captured[name]
}
