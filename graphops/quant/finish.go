package quant

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// finish returns the quantized model.
func (d *dynamic) finish(main *scope) (*graphops.Model, error) {
	d.warnAboutConv()
	e := graphops.Edit(d.model)
	main.fill(e.GraphEditor)
	if d.names.Collided() {
		d.report.depart(nameCollision)
	}
	if _, ok := d.model.Opset(graphops.MicrosoftDomain); !ok && d.usesMicrosoft() {
		e.SetOpset(graphops.MicrosoftDomain, 1)
	}
	m := e.Model()
	if d.addsConstants() && m.IRVersion() < graphops.OptionalInputsIR {
		d.report.depart(raisedIRVersion)
		m = m.AtLeastIR(graphops.OptionalInputsIR)
	}
	if err := d.ctx.Err(); err != nil {
		return nil, err
	}
	g, err := m.Graph().Ordered()
	if err != nil || g == m.Graph() {
		return m, err
	}
	return m.WithGraph(m.Places()[0], g), nil
}

func (d *dynamic) addsConstants() bool {
	return slices.ContainsFunc(d.scopes, func(s *scope) bool { return len(s.added) > 0 })
}

// usesMicrosoft reports whether an emitted node has an operator of ONNX Runtime's own domain.
func (d *dynamic) usesMicrosoft() bool {
	return slices.ContainsFunc(d.scopes, func(s *scope) bool {
		return slices.ContainsFunc(s.nodes, func(n *graphops.Node) bool { return n.Domain() == graphops.MicrosoftDomain })
	})
}

// finishBody returns the quantized graph of a body.
func (s *scope) finishBody() (*graphops.Graph, error) {
	e := graphops.EditGraph(s.graph)
	s.fill(e)
	// Emission does not always keep the order: the node that dequantizes a constant is emitted for the
	// first float reader visited after the constant was quantized, but must precede all float readers.
	return e.Graph().Ordered()
}

// fill adds the emitted nodes and constants to e, and removes nodes and constants that nothing
// reads any more.
func (s *scope) fill(e *graphops.GraphEditor) {
	read := s.readNames()
	e.Nodes = slices.DeleteFunc(slices.Clone(s.nodes), func(n *graphops.Node) bool { return s.replaced(n, read) })
	e.Initializers = slices.DeleteFunc(e.Initializers, func(t *graphops.Tensor) bool {
		return !read[t.Name()] || s.dequantized[t.Name()]
	})
	kept := map[string]bool{}
	for _, t := range e.Initializers {
		kept[t.Name()] = true
	}
	e.Inputs = slices.DeleteFunc(e.Inputs, func(v *graphops.ValueInfo) bool {
		return s.initializer(v.Name()) != nil && !kept[v.Name()]
	})
	s.warnAboutSources(e)
	e.Initializers = append(e.Initializers, s.added...)
	e.ValueInfo = s.describing(e)
}

// warnAboutSources warns about constants that now exist twice, and about inputs that can no
// longer replace a constant.
func (s *scope) warnAboutSources(e *graphops.GraphEditor) {
	for _, t := range e.Initializers {
		if size, ok := s.sources[t.Name()]; ok {
			s.warn("weight %q also stays in float32, %d bytes: a body or another node reads it", t.Name(), size)
		}
	}
	if s.model.IRVersion() < graphops.OptionalInputsIR {
		return // before that IR version, every initializer must be an input
	}
	for _, v := range s.graph.Inputs() {
		if _, ok := s.sources[v.Name()]; ok && !slices.Contains(e.Inputs, v) {
			s.warn("input %q was removed: its default value is a weight that is quantized now", v.Name())
		}
	}
}

// warnAboutConv warns about slow integer convolutions. The factors were measured with one thread
// of ONNX Runtime 1.30.0 on an x86-64 machine, for kernels with one to three axes.
func (d *dynamic) warnAboutConv() {
	count := 0
	for _, q := range d.report.Quantized {
		if q.Op == "Conv" {
			count++
		}
	}
	if count == 0 {
		return
	}
	factor := "4 to 20"
	if d.o.WeightType == tensor.U8 {
		factor = "about 2, with groups or three axes up to 12"
	}
	d.warn("%d Conv became ConvInteger: smaller, but on a CPU slower than Conv in ONNX Runtime, by a factor of %s for weights in %s; use static quantization for convolutions",
		count, factor, d.o.WeightType)
}

// readNames returns the names read by emitted nodes, their bodies and the graph outputs.
func (s *scope) readNames() map[string]bool {
	read := map[string]bool{}
	for _, n := range s.nodes {
		for _, list := range [][]string{n.Inputs(), n.Captured()} {
			for _, name := range list {
				read[name] = true
			}
		}
	}
	for _, v := range s.graph.Outputs() {
		read[v.Name()] = true
	}
	return read
}

// replaced reports whether a node is a Constant whose float value is no longer needed because it
// was quantized.
func (s *scope) replaced(n *graphops.Node, read map[string]bool) bool {
	if constantOf(n) == nil {
		return false
	}
	name := n.Output(0)
	_, quantized := s.sources[name]
	return s.dequantized[name] || quantized && !read[name]
}

// describing returns the entries of value_info whose values still exist.
func (s *scope) describing(e *graphops.GraphEditor) []*graphops.ValueInfo {
	there := map[string]bool{}
	for _, n := range e.Nodes {
		for _, name := range n.Outputs() {
			there[name] = true
		}
	}
	for _, t := range e.Initializers {
		there[t.Name()] = true
	}
	for _, x := range e.Sparse {
		there[x.Name()] = true
	}
	for _, v := range e.Inputs {
		there[v.Name()] = true
	}
	return slices.DeleteFunc(e.ValueInfo, func(v *graphops.ValueInfo) bool { return !there[v.Name()] })
}
