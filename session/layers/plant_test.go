//go:build cgo

package layers_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// plant is a kind of fault that can be put into a node. put returns false if the node cannot have
// this fault.
type plant struct {
	name string
	put  func(f *faulty) bool
}

var plants = []plant{
	{"weight", (*faulty).weight},
	{"attribute", (*faulty).attribute},
	{"operator", (*faulty).operator},
	{"float16", (*faulty).float16},
	{"axis", (*faulty).axis},
	{"nan", (*faulty).nan},
}

// faulty is a copy of a model in which one node gets a fault.
type faulty struct {
	m    *graphops.Model
	node int
	rng  *rand.Rand
	e    *graphops.Editor
}

// faultyModel returns a model with a fault in a node, or nil if the node cannot have this fault.
func faultyModel(m *graphops.Model, node int, p plant, rng *rand.Rand) *graphops.Model {
	f := &faulty{m, node, rng, graphops.Edit(m)}
	if !p.put(f) {
		return nil
	}
	f.e.ValueInfo = nil
	return f.e.Model()
}

func (f *faulty) spec() *graphops.Node { return f.e.Nodes[f.node] }

// weight changes one element of a constant. Only this node reads the changed constant.
func (f *faulty) weight() bool {
	n := f.spec()
	if slices.Contains([]string{"Resize", "Upsample", "Clip", "Pad", "QuantizeLinear", "DequantizeLinear"}, n.OpType()) {
		return false // sizes, bounds: a change of these is another fault
	}
	x := f.m.Graph().Index()
	for i, name := range n.Inputs() {
		v, ok := x.Value(name)
		t := x.Initializer(v)
		if !ok || t == nil || x.IsInput(v) || t.DType() != tensor.F32 {
			continue
		}
		w, err := t.Read()
		if err != nil || w.Len() == 0 {
			continue
		}
		list, err := w.Float64s()
		if err != nil {
			return false
		}
		at, largest := f.rng.IntN(len(list)), 0.0
		for _, x := range list {
			largest = max(largest, math.Abs(x))
		}
		list[at] += 0.5*largest + 0.01
		changed, err := tensor.FromFloat64s(tensor.F32, list, w.Shape...)
		if err != nil {
			return false
		}
		fresh := f.e.Names().Value(name + "_faulty")
		f.e.Initializers = append(f.e.Initializers, graphops.NewTensorOf(fresh, changed))
		inputs := slices.Clone(n.Inputs())
		inputs[i] = fresh
		f.e.Nodes[f.node] = n.WithInputs(inputs)
		return true
	}
	return false
}

// attribute changes a number among the node's attributes.
func (f *faulty) attribute() bool {
	n := f.spec()
	for _, name := range []string{"alpha", "epsilon", "beta", "gamma"} {
		if a, ok := n.Attribute(name); ok && a.Kind() == graphops.AttrFloat {
			f.set(graphops.FloatAttribute(name, 1.5*a.Float()+0.1))
			return true
		}
	}
	for _, name := range []string{"dilations", "pads", "strides"} {
		if a, ok := n.Attribute(name); ok && len(a.Ints()) == 4 && name == "pads" {
			p := slices.Clone(a.Ints()) // one to the left and not to the right: the size stays
			if p[3] > 0 {
				p[1], p[3] = p[1]+1, p[3]-1
				f.set(graphops.IntsAttribute(name, p))
				return true
			}
		}
	}
	return false
}

func (f *faulty) set(a *graphops.Attribute) {
	n := f.spec()
	attrs := slices.Clone(n.Attributes())
	at := slices.IndexFunc(attrs, func(b *graphops.Attribute) bool { return b.Name() == a.Name() })
	if at < 0 {
		attrs = append(attrs, a)
	} else {
		attrs[at] = a
	}
	f.e.Nodes[f.node] = n.WithAttributes(attrs)
}

var swapped = map[string]string{
	"Relu": "Softplus", "Add": "Sub", "Sub": "Add", "Mul": "Add", "Div": "Mul", "Tanh": "Sigmoid", "Sigmoid": "Tanh",
	"Sqrt": "Exp", "Exp": "Softplus", "Erf": "Tanh", "MaxPool": "AveragePool", "AveragePool": "MaxPool", "ReduceMean": "ReduceMax",
	"Softmax": "LogSoftmax", "Max": "Min", "GlobalAveragePool": "GlobalMaxPool", "Sin": "Cos", "Cos": "Sin", "Neg": "Abs", "HardSwish": "Relu",
}

func (f *faulty) operator() bool {
	n := f.spec()
	to, ok := swapped[n.OpType()]
	if !ok || n.Domain() != graphops.DefaultDomain || len(n.Outputs()) > 1 {
		return false
	}
	var attrs []*graphops.Attribute
	for _, a := range n.Attributes() {
		if a.Name() != "count_include_pad" && a.Name() != "storage_order" {
			attrs = append(attrs, a)
		}
	}
	f.e.Nodes[f.node] = graphops.NewNode(graphops.NodeSpec{Op: to, Name: n.Name(), Inputs: n.Inputs(), Outputs: n.Outputs(), Attributes: attrs})
	return true
}

// behind inserts nodes between the node's first output and everything that reads it.
func (f *faulty) behind(nodes ...graphops.NodeSpec) bool {
	n := f.spec()
	out := n.Outputs()[0]
	inner := f.e.Names().Value(out + "_sound")
	outputs := slices.Clone(n.Outputs())
	outputs[0] = inner
	list := []*graphops.Node{n.WithOutputs(outputs)}
	for i, s := range nodes {
		s.Inputs, inner = []string{inner}, out
		if i < len(nodes)-1 {
			inner = f.e.Names().Value(fmt.Sprint(out, "_step"))
		}
		s.Outputs = []string{inner}
		list = append(list, graphops.NewNode(s))
	}
	f.e.Nodes = slices.Replace(f.e.Nodes, f.node, f.node+1, list...)
	return true
}

func (f *faulty) float16() bool {
	return f.behind(
		graphops.NodeSpec{Op: "Cast", Attributes: []*graphops.Attribute{graphops.IntAttribute("to", 10)}},
		graphops.NodeSpec{Op: "Cast", Attributes: []*graphops.Attribute{graphops.IntAttribute("to", 1)}},
	)
}

func (f *faulty) nan() bool { return f.behind(graphops.NodeSpec{Op: "Log"}) }

// axis makes the node work along another axis.
func (f *faulty) axis() bool {
	n := f.spec()
	if !slices.Contains([]string{"Softmax", "LogSoftmax", "LayerNormalization", "Concat", "Gather", "Split"}, n.OpType()) {
		if a, ok := n.Attribute("perm"); ok && len(a.Ints()) > 1 {
			p := slices.Clone(a.Ints())
			k := len(p)
			p[k-1], p[k-2] = p[k-2], p[k-1]
			f.set(graphops.IntsAttribute("perm", p))
			return true
		}
		if a, ok := n.Attribute("axes"); ok && n.OpType() == "ReduceMean" && len(a.Ints()) == 1 {
			f.set(graphops.IntsAttribute("axes", []int64{otherAxis(a.Ints()[0])}))
			return true
		}
		return false
	}
	axis := int64(0)
	if a, ok := n.Attribute("axis"); ok {
		axis = a.Int()
	}
	f.set(graphops.IntAttribute("axis", otherAxis(axis)))
	return true
}

func otherAxis(axis int64) int64 {
	switch {
	case axis > 0:
		return axis - 1
	case axis == 0:
		return 1
	case axis == -1:
		return -2
	}
	return axis + 1
}
