package quant

import (
	"lathe/graphops"
)

// value is where the quantized form of a value lies: codes, scale and zero
// point.
type value struct {
	q, scale, zero string
	perChannel     bool // along the last axis
	// floatStays tells that the float value is there besides.
	floatStays bool
}

func newNode(name, op string, inputs []string, output string, attrs ...*graphops.Attribute) *graphops.Node {
	return graphops.NewNode(graphops.NodeSpec{Op: op, Name: name, Inputs: inputs, Outputs: []string{output}, Attributes: attrs})
}

func (s *scope) emit(name, op string, inputs []string, output string, attrs ...*graphops.Attribute) {
	s.nodes = append(s.nodes, newNode(name, op, inputs, output, attrs...))
}

// activation is the quantized form of a value with one scale: made while the
// model runs, or now if the value is an initializer.
func (s *scope) activation(name string) (value, weight, error) {
	s = s.owner(name)
	if v, ok := s.values[name]; ok && !v.perChannel {
		return v, weight{}, nil
	}
	if t := s.initializer(name); t != nil {
		return s.table(name, t)
	}
	v := value{
		q:     s.names.Value(name + "_quantized"),
		scale: s.names.Value(name + "_scale"),
		zero:  s.names.Value(name + "_zero_point"),

		floatStays: true,
	}
	s.nodes = append(s.nodes, graphops.NewNode(graphops.NodeSpec{
		Op: "DynamicQuantizeLinear", Name: s.names.Node(name + "_QuantizeLinear"),
		Inputs: []string{name}, Outputs: []string{v.q, v.scale, v.zero},
	}))
	s.values[name] = v
	return v, weight{}, nil
}

// keep emits a node as it is, after what dequantizes the values that it or its
// bodies read.
func (s *scope) keep(n *graphops.Node) {
	s.restoreInputs(n)
	s.nodes = append(s.nodes, n)
}

// restoreInputs emits what dequantizes the values that a node or its bodies read.
// What a body takes from around it is restored before the node that holds the body.
func (s *scope) restoreInputs(n *graphops.Node) {
	for _, name := range n.Inputs() {
		if s.values[name].floatStays && s.initializer(name) != nil {
			s.report.depart(CapturedValue)
		}
		s.dequantize(name)
	}
	for _, name := range n.Captured() {
		if v, ok := s.values[name]; ok && !v.floatStays {
			s.report.depart(CapturedValue)
			s.dequantize(name)
		}
	}
}

// restore makes sure that an operand which the quantized operator reads in float32
// is there.
func (s *scope) restore(name string) {
	s = s.owner(name)
	if v, ok := s.values[name]; ok && !v.floatStays {
		s.report.depart(UnrestoredOperand)
		s.dequantize(name)
	}
}

// dequantize emits what makes the float value again where only a quantized form
// is left. A constant that is still there in float is not made again.
func (s *scope) dequantize(name string) {
	v, ok := s.values[name]
	if !ok || v.floatStays || s.dequantized[name] {
		return
	}
	var attrs []*graphops.Attribute
	if v.perChannel {
		if s.opset < opsetDequantizeAxis {
			s.report.depart(PerChannelOpset)
			return
		}
		attrs = []*graphops.Attribute{graphops.IntAttribute("axis", -1)}
	}
	s.dequantized[name] = true
	s.emit(s.names.Node(name+"_DequantizeLinear"), "DequantizeLinear", []string{v.q, v.scale, v.zero}, name, attrs...)
}

// initializer is the dense initializer of this scope behind a name, or nil.
func (s *scope) initializer(name string) *graphops.Tensor {
	id, ok := s.index.Value(name)
	if !ok {
		return nil
	}
	return s.index.Initializer(id)
}

// constant is the tensor behind a name that is an initializer, or the value of
// a Constant node; nil for any other.
func (s *scope) constant(name string) *graphops.Tensor {
	s = s.owner(name)
	if t := s.initializer(name); t != nil {
		return t
	}
	id, ok := s.index.Value(name)
	if !ok || s.index.Producer(id) < 0 {
		return nil
	}
	return constantOf(s.graph.Nodes()[s.index.Producer(id)])
}

// constantOf is the tensor that a Constant node holds, or nil.
func constantOf(n *graphops.Node) *graphops.Tensor {
	if n.OpType() != "Constant" || n.Domain() != graphops.DefaultDomain || len(n.Outputs()) != 1 {
		return nil
	}
	a, ok := n.Attribute("value")
	if !ok {
		return nil
	}
	return a.Tensor()
}
