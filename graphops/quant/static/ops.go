package static

import (
	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

func flag(n *graphops.Node, name string) bool {
	a, ok := n.Attribute(name)
	return ok && a.Int() > 0
}

func hasInput(n *graphops.Node, at int) bool { return len(n.Inputs()) > at && n.Inputs()[at] != "" }

func markConv(k *marker, i int, n *graphops.Node) {
	x, w := n.Input(0), n.Input(1)
	k.activation(x)
	k.result(n, k.activation)
	axis := 0
	if n.OpType() == "ConvTranspose" {
		axis = 1
	}
	k.channelled(w, axis, "")
	if hasInput(n, 2) {
		k.bias(i, 2, x, w, 1)
	}
}

func markGemm(k *marker, i int, n *graphops.Node) {
	a, b := n.Input(0), n.Input(1)
	k.activation(a)
	k.result(n, k.activation)
	axis := 1
	if flag(n, "transB") {
		axis = 0
	}
	k.channelled(b, axis, "")
	if !hasInput(n, 2) {
		return
	}
	beta := 1.0
	if v, ok := n.Attribute("beta"); ok {
		beta = float64(v.Float())
	}
	k.bias(i, 2, a, b, beta)
}

func markMatMul(k *marker, _ int, n *graphops.Node) {
	for at, name := range n.Inputs() {
		t := k.inits[name]
		switch {
		case t == nil:
			k.activation(name)
		case k.o.PerChannel && at == 0:
			k.report.depart(firstFactorChannels)
			k.weight(name)
		case k.o.PerChannel && len(t.Dims()) > 2:
			k.report.depart(batchedChannels)
			k.weight(name)
		default:
			k.channelled(name, 1, "MatMul")
			if m := k.marks[name]; m != nil && m.perChannel && m.axis < len(t.Dims())-1 && !k.o.leavesRows() {
				k.warn("weight %q has a scale for each row, for which ONNX Runtime before %s makes a QLinearMatMul on a CPU that fails", name, leavesRowsSince)
			}
		}
	}
	k.results(n, k.activation)
}

// leavesRowsSince is the first ONNX Runtime that computes a MatMul of a weight with a scale for each
// row in float. Earlier ones make a QLinearMatMul of it, which does not support such scales.
const leavesRowsSince = "1.32"

func (o *Options) leavesRows() bool {
	return opschema.IsRelease(o.Runtime) && opschema.CompareReleases(o.Runtime, leavesRowsSince) >= 0
}

// markRemovable marks a Relu or Clip. The node is removed if the node before it can produce its
// result directly and the limits of the integers have the same effect.
func markRemovable(k *marker, i int, n *graphops.Node) {
	x, y := n.Input(0), n.Output(0)
	if !k.quantized(x) {
		return
	}
	if k.replaces(n) {
		p := k.producer[x]
		outputs := append([]string(nil), k.nodes[p].Outputs()...)
		for at := range outputs {
			if outputs[at] == x {
				outputs[at] = y
			}
		}
		k.forget(i)
		k.nodes[i] = nil
		k.nodes[p] = k.nodes[p].WithOutputs(outputs)
		k.producer[y] = p
		delete(k.producer, x)
		delete(k.marks, x)
		k.report.Removed = append(k.report.Removed, n.Name())
	} else {
		k.activation(x)
	}
	k.results(n, k.activation)
}

// replaces reports whether the node that produces the input of a Relu or Clip can produce its
// result instead.
func (k *marker) replaces(n *graphops.Node) bool {
	x, y := n.Input(0), n.Output(0)
	_, ok := k.ranges[y]
	_, made := k.producer[x]
	if !ok || !made || k.o.ActivationSymmetric || k.o.KeepRemovable || k.reads[x] != 1 || k.outputs[x] || k.inputs[x] {
		return false
	}
	if k.captured[x] {
		k.report.depart(capturedValue)
		return false
	}
	if k.o.override(x).Convert != nil || k.o.override(y).Convert != nil {
		return false
	}
	if !k.saturates(n) {
		k.report.depart(removedActivation)
		return false
	}
	return true
}

// saturates reports whether the integers of the result represent no number that a Relu or Clip
// would cut off. A number outside by less than half a step is allowed, because rounding can have
// that effect too.
func (k *marker) saturates(n *graphops.Node) bool {
	y := n.Output(0)
	d, a, err := k.affineOf(y, k.o.override(y))
	return err == nil && k.saturatesAt(n, d, a)
}

func (k *marker) saturatesAt(n *graphops.Node, d tensor.DType, a tensor.Affine) bool {
	lo, hi, _ := tensor.AffineRule{Type: d}.Codes()
	low, high := float64(a.Scale)*(lo-float64(a.Zero)), float64(a.Scale)*(hi-float64(a.Zero))
	half := float64(a.Scale) / 2
	if n.Is("Relu") {
		return low > -half
	}
	least, ok := k.bound(n, 1, "min")
	most, also := k.bound(n, 2, "max")
	return ok && also && (least == nil || low > *least-half) && (most == nil || high < *most+half)
}

// bound returns a bound of a Clip, nil if there is none. ok is false if the bound is computed.
func (k *marker) bound(n *graphops.Node, at int, attribute string) (value *float64, ok bool) {
	if a, there := n.Attribute(attribute); there {
		x := float64(a.Float())
		return &x, true
	}
	if !hasInput(n, at) {
		return nil, true
	}
	return k.scalar(n.Inputs()[at])
}

// scalar returns the number in a constant; nil and false if it is not a constant with one element.
func (k *marker) scalar(name string) (*float64, bool) {
	t := k.inits[name]
	if t == nil {
		i, made := k.producer[name]
		if !made || k.nodes[i] == nil || !k.nodes[i].Is("Constant") {
			return nil, false
		}
		a, ok := k.nodes[i].Attribute("value")
		if !ok {
			return nil, false
		}
		t = a.Tensor()
	}
	if n, err := tensor.Elements(t.Dims()); err != nil || n != 1 {
		return nil, false
	}
	xs, err := numbers(t)
	if err != nil || len(xs) != 1 {
		return nil, false
	}
	return &xs[0], true
}

// markMoving marks an operator that only moves elements.
func markMoving(k *marker, _ int, n *graphops.Node) {
	x := n.Input(0)
	if k.o.Force {
		k.activation(x)
	}
	if k.o.Force || k.quantized(x) {
		k.result(n, func(y string) { k.same(y, x) })
	}
}

func markResize(k *marker, i int, n *graphops.Node) {
	if k.opset >= 11 {
		markMoving(k, i, n)
	}
}

func markMaxPool(k *marker, i int, n *graphops.Node) {
	if k.opset >= 12 && !k.o.isFloat8() {
		markMoving(k, i, n)
	}
}

func markSplit(k *marker, _ int, n *graphops.Node) {
	x := n.Input(0)
	if !k.quantized(x) {
		k.activation(x)
	}
	k.results(n, func(y string) { k.same(y, x) })
}

func markGather(k *marker, _ int, n *graphops.Node) {
	x, y := n.Input(0), n.Output(0)
	switch {
	case k.inits[x] != nil && k.isFloat(x) || k.o.Force:
		k.activation(x)
		k.same(y, x)
	case k.quantized(x):
		k.same(y, x)
	}
}

func markPad(k *marker, _ int, n *graphops.Node) {
	for _, name := range n.Inputs() {
		k.activation(name)
	}
	x := n.Input(0)
	if k.padsWithOwn(n) {
		k.result(n, func(y string) { k.same(y, x) })
		return
	}
	k.result(n, k.activation)
}

// padsWithOwn reports whether a Pad adds only numbers that every range contains: elements of its
// input, or zeros.
func (k *marker) padsWithOwn(n *graphops.Node) bool {
	mode := "constant"
	if a, ok := n.Attribute("mode"); ok {
		mode = a.Text()
	}
	switch mode {
	case "reflect", "edge", "wrap":
		return true
	case "constant":
	default:
		return false
	}
	if k.opset < 11 {
		a, ok := n.Attribute("value")
		return !ok || a.Float() == 0
	}
	if !hasInput(n, 2) {
		return true
	}
	v, ok := k.scalar(n.Input(2))
	return ok && v != nil && *v == 0
}

func markWhere(k *marker, _ int, n *graphops.Node) {
	a, b := n.Input(1), n.Input(2)
	if k.o.Force {
		for _, name := range []string{a, b} {
			if !k.quantized(name) {
				k.activation(name)
			}
		}
	} else if !k.quantized(a) || !k.quantized(b) {
		return
	}
	k.results(n, k.activation)
}

func markNorm(k *marker, i int, n *graphops.Node) {
	x, scale := n.Input(0), n.Input(1)
	k.activation(x)
	if k.inits[scale] != nil {
		k.channelled(scale, 1, n.OpType())
	} else {
		k.activation(scale)
	}
	if hasInput(n, 2) {
		k.bias(i, 2, x, scale, 1)
	}
	k.results(n, k.activation)
}

func markAll(k *marker, _ int, n *graphops.Node) {
	for _, name := range n.Inputs() {
		k.activation(name)
	}
	k.results(n, k.activation)
}
