package quant

import (
	"lathe/graphops"
)

// value names the three parts of a quantized value: integers, scale and zero point.
type value struct {
	q, scale, zero string
	perChannel     bool // along the last axis
	// floatStays reports that the float32 value also still exists.
	floatStays bool
}

func newNode(name, op string, inputs []string, output string, attrs ...*graphops.Attribute) *graphops.Node {
	return graphops.NewNode(graphops.NodeSpec{Op: op, Name: name, Inputs: inputs, Outputs: []string{output}, Attributes: attrs})
}

func (s *scope) emit(name, op string, inputs []string, output string, attrs ...*graphops.Attribute) {
	s.nodes = append(s.nodes, newNode(name, op, inputs, output, attrs...))
}

// activation returns the quantized form of a value with one scale. An initializer is quantized
// now, and any other value by emitted nodes while the model runs.
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

// keep emits a node unchanged, after nodes that dequantize the values that it or its bodies
// read.
func (s *scope) keep(n *graphops.Node) {
	s.restoreInputs(n)
	s.nodes = append(s.nodes, n)
}

// restoreInputs emits nodes that dequantize the values that a node or its bodies read. Values
// captured by a body are restored before the node with the body.
func (s *scope) restoreInputs(n *graphops.Node) {
	for _, name := range n.Inputs() {
		if s.values[name].floatStays && s.initializer(name) != nil {
			s.report.depart(capturedValue)
		}
		s.dequantize(name)
	}
	for _, name := range n.Captured() {
		if v, ok := s.values[name]; ok && !v.floatStays {
			s.report.depart(capturedValue)
			s.dequantize(name)
		}
	}
}

// restore makes sure that an operand which the quantized operator reads in float32 exists as
// such.
func (s *scope) restore(name string) {
	s = s.owner(name)
	if v, ok := s.values[name]; ok && !v.floatStays {
		s.report.depart(unrestoredOperand)
		s.dequantize(name)
	}
}

// dequantize emits the nodes that compute the float value if only a quantized form is left. It
// does nothing for a constant that still exists in float.
func (s *scope) dequantize(name string) {
	v, ok := s.values[name]
	if !ok || v.floatStays || s.dequantized[name] {
		return
	}
	var attrs []*graphops.Attribute
	if v.perChannel {
		if s.opset < opsetDequantizeAxis {
			s.report.depart(perChannelOpset)
			return
		}
		attrs = []*graphops.Attribute{graphops.IntAttribute("axis", -1)}
	}
	s.dequantized[name] = true
	s.emit(s.names.Node(name+"_DequantizeLinear"), "DequantizeLinear", []string{v.q, v.scale, v.zero}, name, attrs...)
}

// initializer returns the dense initializer of this scope with the given name, or nil.
func (s *scope) initializer(name string) *graphops.Tensor {
	id, ok := s.index.Value(name)
	if !ok {
		return nil
	}
	return s.index.Initializer(id)
}

// constant returns the tensor of an initializer or Constant node by the name of its value; nil
// for any other value.
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

// constantOf returns the tensor of a Constant node; nil if the node is not one.
func constantOf(n *graphops.Node) *graphops.Tensor {
	if !n.Is("Constant") || len(n.Outputs()) != 1 {
		return nil
	}
	a, ok := n.Attribute("value")
	if !ok {
		return nil
	}
	return a.Tensor()
}
