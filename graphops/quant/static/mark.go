package static

import (
	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/tensor"
)

// adjustRanges narrows the range of a value that only a Relu or Clip reads to the range of its
// result. The output of each Softmax gets the range from 0 to 1, which it has by definition.
func (k *marker) adjustRanges() {
	for _, i := range k.order {
		if !k.chosen[i] {
			continue
		}
		n := k.nodes[i]
		x, y := n.Input(0), n.Output(0)
		switch n.StandardOp() {
		case "Relu", "Clip":
			_, known := k.ranges[x]
			if r, ok := k.ranges[y]; ok && known && k.reads[x] == 1 {
				k.ranges[x] = r
				k.spreads[x] = k.spreads[y]
			}
		case "Softmax":
			k.ranges[y] = calibration.Range{Low: 0, High: 1}
			if k.o.isFloat8() {
				k.spreads[y] = softmaxSpread
				k.report.depart(missingSoftmaxSpread)
			}
		}
	}
}

// mark marks the values of node i.
func (k *marker) mark(i int) {
	k.current = i
	rules[k.nodes[i].OpType()](k, i, k.nodes[i])
	if n := k.nodes[i]; n != nil {
		for _, name := range n.Inputs() {
			k.receivers[name] = append(k.receivers[name], i)
		}
	}
}

func (k *marker) isFloat(name string) bool {
	return name != "" && k.types[name] == tensor.F32 && k.kept[name] == ""
}

// put sets the mark of a value. The first mark of a value determines its position in the order.
func (k *marker) put(name string, m mark) {
	if k.marks[name] == nil {
		k.marked = append(k.marked, name)
	}
	k.marks[name] = &m
}

func (k *marker) activation(name string) {
	if k.isFloat(name) && k.marks[name] == nil {
		k.put(name, mark{})
	}
}

func (k *marker) weight(name string) {
	if k.isFloat(name) && k.marks[name] == nil {
		k.put(name, mark{weight: true})
	}
}

// same marks out as sharing the parameters of in.
func (k *marker) same(out, in string) {
	if k.isFloat(out) {
		k.put(out, mark{shared: in, by: k.current})
	}
}

// channelled marks a weight to get one scale for each channel, if the options request it and the
// weight has the axis. Otherwise the weight gets one scale. op is the operator whose channel axis
// the options may override; "" for none.
func (k *marker) channelled(name string, axis int, op string) {
	t := k.inits[name]
	if a, ok := k.o.ChannelAxes[op]; ok {
		axis = a
	}
	perChannel := k.o.PerChannel
	if t != nil && len(k.o.Overrides[name]) > 0 {
		own := k.o.override(name).Axis
		if perChannel = own != nil; perChannel {
			axis = *own
		}
	}
	if t != nil && axis < 0 {
		axis += len(t.Dims())
	}
	switch {
	case !perChannel || t == nil:
	case axis < 0 || axis >= len(t.Dims()):
		if op == "MatMul" {
			k.warn("weight %q gets one scale, because it has no axis %d", name, axis)
		}
	case k.opset < opsetAxis && !k.o.QuantizeBias:
		k.warn("weight %q gets one scale: with a float32 bias, ONNX Runtime accepts one for each channel only from opset 13 on, and the model uses opset %d", name, k.opset)
	case t.Dims()[axis] > maxChannels:
		k.warn("weight %q gets one scale, because it has more than %d channels", name, maxChannels)
	default:
		if k.isFloat(name) {
			k.put(name, mark{weight: true, perChannel: true, axis: axis})
		}
		return
	}
	k.weight(name)
}

// maxChannels bounds the number of scales of one weight, and of elements of a bias, which are held
// in memory.
const maxChannels = 1 << 22

func (k *marker) quantized(name string) bool { return k.marks[name] != nil || k.isBias[name] }

// results calls f for the outputs of a node, unless the options keep them in float.
func (k *marker) results(n *graphops.Node, f func(name string)) {
	for _, op := range k.o.FloatOutputs {
		if op == n.OpType() {
			return
		}
	}
	for _, name := range n.Outputs() {
		f(name)
	}
}

func (k *marker) result(n *graphops.Node, f func(name string)) {
	first := true
	k.results(n, func(name string) {
		if first {
			f(name)
		}
		first = false
	})
}

// bias marks the constant at input position at of node i as a bias that is added to products of x
// and w.
func (k *marker) bias(i, at int, x, w string, beta float64) {
	n := k.nodes[i]
	name := n.Inputs()[at]
	t := k.inits[name]
	switch {
	case t == nil:
		k.warn("bias %q is not an initializer and stays in float32", name)
		return
	case t.DType() != tensor.F32:
		return
	case len(k.o.Overrides[name]) > 0: // a bias with an override does not get the unit of the products
		if beta != 1 {
			k.report.depart(gemmBeta)
		}
		k.channelled(name, 0, "")
		return
	}
	if k.isBias[name] {
		name = k.copyOf(t)
		inputs := append([]string(nil), n.Inputs()...)
		inputs[at] = name
		k.rewire(i, inputs)
	}
	k.isBias[name] = true
	k.biases = append(k.biases, bias{name, x, w, i, beta})
}
