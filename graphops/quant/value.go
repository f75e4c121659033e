package quant

import "lathe/graphops"

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

func (d *dynamic) emit(name, op string, inputs []string, output string, attrs ...*graphops.Attribute) {
	d.nodes = append(d.nodes, newNode(name, op, inputs, output, attrs...))
}

// activation is the quantized form of a value with one scale: made while the
// model runs, or now if the value is an initializer.
func (d *dynamic) activation(name string) (value, error) {
	if v, ok := d.values[name]; ok && !v.perChannel {
		return v, nil
	}
	if t := d.initializer(name); t != nil {
		v, _, err := d.table(name, t)
		return v, err
	}
	v := value{
		q:     d.names.Value(name + "_quantized"),
		scale: d.names.Value(name + "_scale"),
		zero:  d.names.Value(name + "_zero_point"),

		floatStays: true,
	}
	d.nodes = append(d.nodes, graphops.NewNode(graphops.NodeSpec{
		Op: "DynamicQuantizeLinear", Name: d.names.Node(name + "_QuantizeLinear"),
		Inputs: []string{name}, Outputs: []string{v.q, v.scale, v.zero},
	}))
	d.values[name] = v
	return v, nil
}

// keep emits a node as it is, after what dequantizes the values that it or its
// bodies read.
func (d *dynamic) keep(n *graphops.Node) {
	for _, name := range n.Inputs() {
		if d.values[name].floatStays && d.initializer(name) != nil {
			d.report.depart(CapturedValue)
		}
		d.dequantize(name)
	}
	for _, name := range n.Captured() {
		if v, ok := d.values[name]; ok && !v.floatStays {
			d.report.depart(CapturedValue)
			d.dequantize(name)
		}
	}
	d.nodes = append(d.nodes, n)
}

// dequantize emits what makes the float value again where only a quantized form
// is left. A constant that is still there in float is not made again.
func (d *dynamic) dequantize(name string) {
	v, ok := d.values[name]
	if !ok || v.floatStays || d.dequantized[name] {
		return
	}
	var attrs []*graphops.Attribute
	if v.perChannel {
		if d.opset < opsetDequantizeAxis {
			d.report.depart(PerChannelOpset)
			return
		}
		attrs = []*graphops.Attribute{graphops.IntAttribute("axis", -1)}
	}
	d.dequantized[name] = true
	d.emit(d.names.Node(name+"_DequantizeLinear"), "DequantizeLinear", []string{v.q, v.scale, v.zero}, name, attrs...)
}

// initializer is the dense initializer behind a name, or nil.
func (d *dynamic) initializer(name string) *graphops.Tensor {
	id, ok := d.index.Value(name)
	if !ok {
		return nil
	}
	return d.index.Initializer(id)
}

// constant is the tensor behind a name that is an initializer, or the value of
// a Constant node; nil for any other.
func (d *dynamic) constant(name string) *graphops.Tensor {
	if t := d.initializer(name); t != nil {
		return t
	}
	id, ok := d.index.Value(name)
	if !ok || d.index.Producer(id) < 0 {
		return nil
	}
	return constantOf(d.graph.Nodes()[d.index.Producer(id)])
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
