package static

import (
	"context"
	"slices"
	"strconv"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// emitter writes what was marked.
type emitter struct {
	*marker
	ctx       context.Context
	domain    string // of QuantizeLinear and DequantizeLinear
	params    map[string]params
	constants map[string]*constant
	emitted   []*graphops.Node
	gone      map[string]bool           // initializers that were replaced by stored biases
	replaced  map[int]map[string]string // for each node, the new name of each replaced input
	contribs  bool                      // operators of domain com.microsoft are written
	// sizesOnly leaves constants unread. For a Draft, any scale will do.
	sizesOnly bool
}

// params names the scale and zero point of a value in the result.
type params struct {
	scale, zero string
	scales      []float32
	perChannel  bool
	converted   *params  // as the receivers read the value
	receivers   []string // names of nodes; nil means all
}

// emit marks and writes. The model is nil if nothing can be quantized.
func (e *emitter) emit() (*graphops.Model, error) {
	if e.o.Format == FormatOperators {
		return e.writeOperators()
	}
	for _, i := range e.order {
		if e.chosen[i] {
			e.mark(i)
		}
	}
	if len(e.marks) == 0 {
		return nil, nil
	}
	e.gone = map[string]bool{}
	if err := e.findConstants(); err != nil {
		return nil, err
	}
	e.chooseDomain()
	if err := e.adjustWeights(); err != nil {
		return nil, err
	}
	if err := e.emitMarked(); err != nil {
		return nil, err
	}
	if err := e.emitShared(); err != nil {
		return nil, err
	}
	for _, b := range e.biases {
		switch {
		case e.o.QuantizeBias && e.o.isFloat8():
			e.emitFloatBias(b)
		case e.o.QuantizeBias:
			if err := e.emitBias(b); err != nil {
				return nil, err
			}
		case b.beta != 1:
			e.report.depart(gemmBeta)
		}
	}
	e.contribs = e.domain == contrib
	e.reportNodes()
	return e.finish()
}

// chooseDomain selects the standard operators if they support the types and axes that are needed,
// and otherwise those of ONNX Runtime.
func (e *emitter) chooseDomain() {
	wide := func(d tensor.DType) bool { return d.Bits() != 8 }
	if e.o.ContribOps || e.opset < opsetWide && slices.ContainsFunc(e.o.types(), wide) {
		e.domain = contrib
	}
	for _, c := range e.constants {
		if e.opset < opsetAxis && c.perChannel && e.domain != contrib {
			e.domain = contrib
			e.report.depart(perChannelOpset)
		}
	}
}

// emitMarked emits values with their own parameters, in the order of marking.
func (e *emitter) emitMarked() error {
	for _, name := range e.marked {
		m := e.marks[name]
		if _, done := e.params[name]; done || m == nil || m.shared != "" {
			continue
		}
		if c := e.constants[name]; c != nil {
			if err := e.emitConstant(c); err != nil {
				return err
			}
			continue
		}
		if err := e.emitOwn(name); err != nil {
			return err
		}
	}
	return e.ctx.Err()
}

// emitShared emits values that share the parameters of another value, repeatedly, because that
// value may itself share parameters. A value that remains gets its own parameters if its range is
// known.
func (e *emitter) emitShared() error {
	var left []string
	seen := map[string]bool{}
	for _, name := range e.marked {
		if m := e.marks[name]; m != nil && m.shared != "" && !seen[name] {
			seen[name] = true
			left = append(left, name)
		}
	}
	for len(left) > 0 {
		var rest []string
		for _, name := range left {
			p, ok := e.params[e.marks[name].shared]
			if !ok || p.perChannel {
				rest = append(rest, name)
				continue
			}
			if p = e.forReader(p, e.marks[name].by); e.inits[name] != nil {
				rest = append(rest, name)
				continue
			}
			p.converted, p.receivers = nil, nil
			if err := e.emitValue(name, p); err != nil {
				return err
			}
		}
		if len(rest) == len(left) {
			break
		}
		left = rest
	}
	for _, name := range left {
		if _, done := e.params[name]; done {
			continue
		}
		e.report.depart(sharedWithoutProvider)
		if _, known := e.ranges[name]; !known {
			e.warn("value %q stays in float32: the value that its elements come from is not quantized", name)
			continue
		}
		if err := e.emitOwn(name); err != nil {
			return err
		}
	}
	return nil
}

func (e *emitter) add(name string, t tensor.Tensor) string {
	name = e.names.Value(name)
	e.added = append(e.added, graphops.NewTensorOf(name, t))
	return name
}

// emitOwn emits a QuantizeLinear and a DequantizeLinear for a value, with parameters that follow
// from its range.
func (e *emitter) emitOwn(name string) error {
	p, err := e.ownParams(name, "", e.o.override(name))
	if err != nil {
		return err
	}
	return e.emitValue(name, p)
}

// emitPair emits nodes that quantize and dequantize a value for its readers.
func (e *emitter) emitPair(name string, p params) {
	e.params[name] = p
	if list := e.receivers[name]; e.o.DedicatedPairs && len(list) > 1 {
		for i, reader := range list {
			suffix := "_" + strconv.Itoa(i+1)
			e.replaceIn(reader, name, e.pair(name, name, suffix, "", p))
		}
		return
	}
	if !e.outputs[name] {
		out := e.pair(name, name, "", "", p)
		for _, i := range e.readers[name] {
			e.replaceIn(i, name, out)
		}
		return
	}
	if _, made := e.producer[name]; !made { // an input that is also an output
		return
	}
	e.pair(e.renameResult(name), name, "", name, p)
}

// pair emits a QuantizeLinear of from and a DequantizeLinear, with names derived from name. It
// returns the name of the dequantized value: out if that is not empty, and otherwise a new name.
func (e *emitter) pair(from, name, suffix, out string, p params, attrs ...*graphops.Attribute) string {
	codes := e.names.Value(name + "_QuantizeLinear_Output" + suffix)
	if out == "" {
		out = e.names.Value(name + "_DequantizeLinear_Output" + suffix)
	}
	e.node("QuantizeLinear", name+"_QuantizeLinear"+suffix, []string{from, p.scale, p.zero}, codes, attrs...)
	e.node("DequantizeLinear", name+"_DequantizeLinear"+suffix, []string{codes, p.scale, p.zero}, out, attrs...)
	return out
}

func (e *emitter) node(op, name string, inputs []string, output string, attrs ...*graphops.Attribute) {
	e.emitted = append(e.emitted, graphops.NewNode(graphops.NodeSpec{
		Op: op, Domain: e.domain, Name: e.names.Node(name), Inputs: inputs, Outputs: []string{output}, Attributes: attrs,
	}))
}

// finish sorts the nodes and removes what is no longer read.
func (e *emitter) finish() (*graphops.Model, error) {
	e.replace()
	ed := graphops.Edit(e.model)
	ed.Nodes = slices.DeleteFunc(slices.Concat(e.nodes, e.emitted), func(n *graphops.Node) bool { return n == nil })
	read, there := map[string]bool{}, map[string]bool{}
	for name := range e.outputs {
		read[name] = true
	}
	for _, n := range ed.Nodes {
		for _, name := range slices.Concat(n.Inputs(), n.Captured()) {
			read[name] = true
		}
		for _, name := range n.Outputs() {
			there[name] = true
		}
	}
	unread := func(t *graphops.Tensor) bool { return e.gone[t.Name()] || !read[t.Name()] && !e.o.PairAtWeights }
	ed.Initializers = slices.DeleteFunc(slices.Concat(ed.Initializers, e.added), unread)
	for _, t := range ed.Initializers {
		there[t.Name()] = true
	}
	for _, t := range ed.Sparse {
		there[t.Name()] = true
	}
	ed.Inputs = slices.DeleteFunc(ed.Inputs, func(v *graphops.ValueInfo) bool {
		return e.inits[v.Name()] != nil && !there[v.Name()] || e.gone[v.Name()]
	})
	for _, v := range ed.Inputs {
		there[v.Name()] = true
	}
	ed.ValueInfo = slices.DeleteFunc(ed.ValueInfo, func(v *graphops.ValueInfo) bool { return !there[v.Name()] })
	if e.contribs {
		ed.SetOpset(contrib, 1)
	}
	if e.names.Collided() {
		e.report.depart(nameCollision)
	}
	m := ed.Model()
	if m.IRVersion() < graphops.OptionalInputsIR && len(e.added) > 0 {
		e.report.depart(raisedIRVersion)
		m = m.AtLeastIR(graphops.OptionalInputsIR)
	}
	return m.Ordered()
}

// reportNodes adds each chosen node to the report, as quantized if any part of it is, and otherwise
// as skipped.
func (e *emitter) reportNodes() {
	counted := map[string]bool{}
	for i, n := range e.graph.Nodes() {
		if !e.chosen[i] {
			continue
		}
		q := quant.Quantized{Index: i, Node: n.Name(), Op: n.OpType()}
		touched := e.nodes[i] == nil
		for _, name := range slices.Concat(n.Inputs(), n.Outputs()) {
			_, known := e.params[name]
			touched = touched || known
			if c := e.constants[name]; c != nil && q.Weight == "" {
				q.Weight = name
				if !counted[name] && !e.o.PairAtWeights {
					counted[name] = true
					q.BytesBefore, q.BytesAfter = c.data.Len(), c.codesLen()+int64(len(c.by))*5
				}
			}
		}
		if touched {
			e.report.Quantized = append(e.report.Quantized, q)
		} else {
			e.report.Skipped = append(e.report.Skipped, quant.Skipped{Index: i, Node: n.Name(), Op: n.OpType(), Reason: "reads no quantized value"})
		}
	}
}
