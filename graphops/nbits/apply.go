package nbits

import (
	"fmt"
	"slices"
	"strconv"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/blockwise"
)

// apply returns the model with quantized weights.
func (p *plan) apply() (*graphops.Model, error) {
	for _, w := range p.weights {
		p.name(w)
	}
	m := p.model.EditPlaces(func(at *graphops.Place, e *graphops.GraphEditor) bool {
		changed := p.replace(at, e)
		return p.store(at, e) || changed
	})
	if p.names.Collided() {
		p.report.depart(nameCollision)
	}
	if p.o.Format == Operators {
		if _, ok := m.Opset(graphops.MicrosoftDomain); !ok {
			e := graphops.Edit(m)
			e.SetOpset(graphops.MicrosoftDomain, 1)
			if p.o.Method == KQuant || p.o.Method == GPTQ {
				p.report.depart(noImport)
			}
			m = e.Model()
		}
	}
	if need := p.neededIR(); m.IRVersion() < need {
		p.report.depart(raisedIRVersion)
		m = m.AtLeastIR(need)
	}
	return m.Ordered()
}

// irFourBits is the version of the file format that has types of 4 bits.
const irFourBits = 10

// neededIR returns the version of the file format that the added initializers need.
func (p *plan) neededIR() int64 {
	if slices.ContainsFunc(p.weights, func(w *packed) bool { return w.dtype().Bits() == 4 }) {
		return irFourBits
	}
	return graphops.OptionalInputsIR
}

// name chooses the names of what a weight becomes.
func (p *plan) name(w *packed) {
	infix, bits, scales, zeros := "_", strconv.Itoa(w.o.Bits), "scales", "zero_points"
	switch {
	case w.o.Format == Standard:
		infix = "_DQ_"
	case w.o.Method == KQuant || w.o.Method == GPTQ: // the names of the reference
		bits, scales, zeros = fmt.Sprintf("%sG%d", bits, w.o.BlockSize), "scale", "zp"
	}
	w.codes = p.names.Value(w.name + infix + "Q" + bits)
	w.scales = p.names.Value(w.name + infix + scales)
	if !w.o.Symmetric {
		w.zeros = p.names.Value(w.name + infix + zeros)
	}
	if w.o.Format == Standard {
		w.value = p.names.Value(w.codes + "_output")
	}
}

// replace replaces the nodes of a place that are quantized. It reports whether there are any.
func (p *plan) replace(at *graphops.Place, e *graphops.GraphEditor) bool {
	var out []*graphops.Node
	changed := false
	for i, n := range e.Nodes {
		t := p.nodes[at.ID][i]
		if t == nil {
			out = append(out, n)
			continue
		}
		changed = true
		switch {
		case t.weight.form == tableForm:
			out = append(out, p.gather(n, t.weight))
		case p.o.Format == Standard:
			out = p.unsqueezed(append(out, p.dequantized(n, t.weight)), t, e)
		default:
			out = p.unsqueezed(append(out, p.product(n, t.weight)), t, e)
		}
	}
	e.Nodes = out
	return changed
}

// suffixed returns the name of a node that replaces another.
func (p *plan) suffixed(name, suffix string) string {
	if name == "" {
		return ""
	}
	return p.names.Node(name + suffix + strconv.Itoa(p.o.Bits))
}

// inputs returns the names of the parts of the weight after the first ones of a node.
func (w *packed) inputs(first ...string) []string {
	if w.zeros != "" {
		return append(first, w.zeros)
	}
	return first
}

func (p *plan) product(n *graphops.Node, w *packed) *graphops.Node {
	rows, cols := w.matrix()
	attrs := []*graphops.Attribute{graphops.IntAttribute("K", rows), graphops.IntAttribute("N", cols)}
	if p.o.AccuracyLevel > 0 {
		attrs = append(attrs, graphops.IntAttribute("accuracy_level", int64(p.o.AccuracyLevel)))
	}
	attrs = append(attrs, graphops.IntAttribute("bits", int64(p.o.Bits)), graphops.IntAttribute("block_size", p.o.BlockSize))
	return graphops.NewNode(graphops.NodeSpec{
		Op: "MatMulNBits", Domain: graphops.MicrosoftDomain, Name: p.suffixed(n.Name(), "_Q"),
		Inputs: w.inputs(n.Input(0), w.codes, w.scales), Outputs: n.Outputs(), Attributes: attrs,
	})
}

func (p *plan) gather(n *graphops.Node, w *packed) *graphops.Node {
	attrs := []*graphops.Attribute{graphops.IntAttribute("block_size", p.o.BlockSize)}
	if p.o.Bits != 4 {
		attrs = append([]*graphops.Attribute{graphops.IntAttribute("bits", int64(p.o.Bits))}, attrs...)
	}
	attrs = append(attrs, graphops.IntAttribute("gather_axis", intAttribute(n, "axis", 0)), graphops.IntAttribute("quantize_axis", int64(w.axis())))
	return graphops.NewNode(graphops.NodeSpec{
		Op: "GatherBlockQuantized", Domain: graphops.MicrosoftDomain, Name: p.suffixed(n.Name(), "_Q"),
		Inputs: w.inputs(w.codes, n.Input(1), w.scales), Outputs: n.Outputs(), Attributes: attrs,
	})
}

// dequantized returns the MatMul that reads the dequantized weight. store adds the nodes that compute it.
func (p *plan) dequantized(n *graphops.Node, w *packed) *graphops.Node {
	return graphops.NewNode(graphops.NodeSpec{
		Op: "MatMul", Name: p.suffixed(n.Name(), "_matmul_Q"), Inputs: []string{n.Input(0), w.result()}, Outputs: n.Outputs(),
	})
}

// result returns the name of the matrix that a MatMul reads in the format Standard.
func (w *packed) result() string {
	if w.isTurned() {
		return w.value + "_transposed"
	}
	return w.value
}

// unsqueezed adds the axes that the product of the last node lacks, because its matrix had more axes
// than the first factor.
func (p *plan) unsqueezed(nodes []*graphops.Node, t *taken, e *graphops.GraphEditor) []*graphops.Node {
	if t.lacking == 0 {
		return nodes
	}
	last := nodes[len(nodes)-1]
	out := last.Output(0)
	inner := p.names.Value(out + "_pre_reshape")
	nodes[len(nodes)-1] = last.WithOutputs([]string{inner})
	axes := make([]int64, t.lacking)
	for i := range axes {
		axes[i] = int64(i)
	}
	spec := graphops.NodeSpec{Op: "Unsqueeze", Inputs: []string{inner}, Outputs: []string{out}}
	if last.Name() != "" {
		spec.Name = p.names.Node(last.Name() + "_Unsqueeze")
	}
	if version, _ := p.model.Opset(graphops.DefaultDomain); version < opsetUnsqueezeInput {
		spec.Attributes = []*graphops.Attribute{graphops.IntsAttribute("axes", axes)}
	} else {
		name := p.names.Value(out + "_axes")
		e.Initializers = append(e.Initializers, graphops.NewTensorOf(name, tensor.FromSlice(axes, int64(len(axes)))))
		spec.Inputs = append(spec.Inputs, name)
	}
	return append(nodes, graphops.NewNode(spec))
}

// opsetUnsqueezeInput is the opset from which on the axes of an Unsqueeze are an input.
const opsetUnsqueezeInput = 13

// store adds what the weights of a place become, and removes constants that nothing reads any more. It
// reports whether there are any.
func (p *plan) store(at *graphops.Place, e *graphops.GraphEditor) bool {
	mine := map[string]bool{}
	var first []*graphops.Node
	var added []*graphops.Tensor
	for _, w := range p.weights {
		if w.place != at {
			continue
		}
		mine[w.name] = true
		added = append(added, w.tensors()...)
		if w.o.Format == Standard {
			first = append(first, w.dequantize(p)...)
		}
	}
	if len(mine) == 0 {
		return false
	}
	e.Nodes = append(first, e.Nodes...)
	p.drop(at, e, mine)
	e.Initializers = append(e.Initializers, added...)
	e.DropUndefined()
	return true
}

// drop removes the constants with the given names that nothing reads any more, and the inputs whose
// default values they were.
func (p *plan) drop(at *graphops.Place, e *graphops.GraphEditor, names map[string]bool) {
	read := map[string]bool{}
	for _, n := range e.Nodes {
		for _, list := range [][]string{n.Inputs(), n.Captured()} {
			for _, name := range list {
				read[name] = true
			}
		}
	}
	for _, v := range e.Outputs {
		read[v.Name()] = true
	}
	gone := func(name string) bool { return names[name] && !read[name] }
	for name := range names {
		if read[name] {
			p.warnKept(at, name)
		}
	}
	e.Nodes = slices.DeleteFunc(e.Nodes, func(n *graphops.Node) bool { return n.IsConstant() && gone(n.Output(0)) })
	e.Initializers = slices.DeleteFunc(e.Initializers, func(t *graphops.Tensor) bool { return gone(t.Name()) })
	e.Inputs = slices.DeleteFunc(e.Inputs, func(v *graphops.ValueInfo) bool {
		if gone(v.Name()) && p.model.IRVersion() >= graphops.OptionalInputsIR {
			p.warn("input %q was removed: its default value is a weight that is quantized now", v.Name())
		}
		return gone(v.Name())
	})
}

func (p *plan) warnKept(at *graphops.Place, name string) {
	if c := constantAt(at, name); c != nil {
		if size, err := c.tensor.ByteLen(); err == nil {
			p.warn("weight %q also stays as it is, %d bytes: another node or an output reads it", name, size)
		}
	}
}

// tensors returns what the weight becomes.
func (w *packed) tensors() []*graphops.Tensor {
	codes, scales, zeros := w.shapes()
	out := []*graphops.Tensor{
		w.part(w.codes, w.dtype(), codes, blockwise.Codes),
		w.part(w.scales, w.tensor.DType(), scales, blockwise.Scales),
	}
	if w.zeros != "" {
		d := w.dtype()
		if w.o.Method == HQQ {
			d = w.tensor.DType()
		}
		out = append(out, w.part(w.zeros, d, zeros, blockwise.ZeroPoints))
	}
	return out
}

// shapes returns the shapes of the parts.
func (w *packed) shapes() (codes, scales, zeros []int64) {
	if b, ok := w.over(nil).(blockwise.Matrix); ok {
		codes = []int64{b.Cols, b.Blocks(), b.BlockBytes()}
		if w.o.Method == HQQ { // the reference writes them as vectors
			return codes, []int64{b.Cols * b.Blocks()}, []int64{b.Cols * b.Blocks()}
		}
		return codes, []int64{b.Cols, b.Blocks()}, []int64{b.Cols, b.ZeroBytes()}
	}
	s := w.over(nil).(blockwise.Strips)
	if w.form == tableForm {
		codes, scales = slices.Clone(w.tensor.Dims()), slices.Clone(w.tensor.Dims())
		scales[w.axis()] = s.Blocks()
		zeros = slices.Clone(scales)
		if last := len(codes) - 1; w.isBytes() {
			per := int64(8 / w.o.Bits)
			codes[last] /= per
			zeros[last] = (zeros[last] + per - 1) / per
		}
		return codes, scales, zeros
	}
	if w.isTurned() {
		return []int64{s.Inner, s.Length}, []int64{s.Inner, 1}, nil
	}
	scales = []int64{s.Blocks(), s.Inner}
	return []int64{s.Length, s.Inner}, scales, scales
}

// dequantize returns the nodes that compute the matrix from its parts.
func (w *packed) dequantize(p *plan) []*graphops.Node {
	axis := int64(0)
	if w.isTurned() {
		axis = 1
		if rows, cols := w.matrix(); rows%2 == 1 && cols%2 == 1 {
			p.report.depart(oddTranspose)
		}
	}
	if w.nodes > 1 {
		p.report.depart(sharedDequantize)
	}
	out := []*graphops.Node{graphops.NewNode(graphops.NodeSpec{
		Op: "DequantizeLinear", Name: p.suffixed(w.first, "_DQ_Q"), Inputs: w.inputs(w.codes, w.scales), Outputs: []string{w.value},
		Attributes: []*graphops.Attribute{graphops.IntAttribute("axis", axis), graphops.IntAttribute("block_size", w.block())},
	})}
	if w.isTurned() {
		out = append(out, graphops.NewNode(graphops.NodeSpec{
			Op: "Transpose", Inputs: []string{w.value}, Outputs: []string{w.result()},
			Attributes: []*graphops.Attribute{graphops.IntsAttribute("perm", []int64{1, 0})},
		}))
	}
	return out
}
