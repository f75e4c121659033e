package static

import (
	"slices"

	"lathe/graphops/tensor"
)

// forReader returns the parameters of a value as node i reads it.
func (e *emitter) forReader(p params, i int) params {
	if p.converted == nil || p.receivers != nil && !slices.Contains(p.receivers, e.graph.Nodes()[i].Name()) {
		return p
	}
	return *p.converted
}

// ownParams returns the parameters that follow from the range of a value, and adds constants for
// them.
func (e *emitter) ownParams(name, suffix string, v Override) (params, error) {
	d, a, err := e.affineOf(name, v)
	if err != nil {
		return params{}, err
	}
	zero, err := zeroPoints(d, []int64{int64(a.Zero)})
	if err != nil {
		return params{}, err
	}
	return params{
		zero:   e.add(name+"_zero_point"+suffix, zero),
		scale:  e.add(name+"_scale"+suffix, tensor.FromSlice([]float32{a.Scale})),
		scales: []float32{a.Scale},
	}, nil
}

// emitValue emits nodes that quantize and dequantize a value, and again for readers that need
// another type.
func (e *emitter) emitValue(name string, p params) error {
	c := e.o.override(name).Convert
	if c == nil {
		e.emitPair(name, p)
		return nil
	}
	to, err := e.ownParams(name, "_convert", c.override())
	if err != nil {
		return err
	}
	p.converted, p.receivers = &to, c.Receivers
	e.params[name] = p
	var first, second []int // readers of the value's own type, and of the other type
	for _, i := range e.receivers[name] {
		if c.Receivers == nil || slices.Contains(c.Receivers, e.graph.Nodes()[i].Name()) {
			second = append(second, i)
		} else {
			first = append(first, i)
		}
	}
	e.emitConverted(name, p, to, first, second)
	return nil
}

func (e *emitter) emitConverted(name string, p, to params, first, second []int) {
	from, out := name, ""
	if _, made := e.producer[name]; e.outputs[name] && made {
		from, out = e.renameResult(name), name
	}
	whole := len(first) == 0
	codes := e.names.Value(name + "_QuantizeLinear_Output")
	e.node("QuantizeLinear", name+"_QuantizeLinear", []string{from, p.scale, p.zero}, codes)
	floats := out
	if whole || out == "" {
		floats = e.names.Value(name + "_DequantizeLinear_Output")
	}
	for _, i := range first {
		e.replaceIn(i, name, floats)
	}
	e.node("DequantizeLinear", name+"_DequantizeLinear", []string{codes, p.scale, p.zero}, floats)
	between := floats
	if !whole {
		between = e.names.Value(name + "_convert_QuantizeLinear_Input")
		e.node("DequantizeLinear", name+"_convert_clone_DequantizeLinear", []string{codes, p.scale, p.zero}, between)
		out = ""
	}
	others := e.names.Value(name + "_convert_QuantizeLinear_Output")
	e.node("QuantizeLinear", name+"_convert_QuantizeLinear", []string{between, to.scale, to.zero}, others)
	if out == "" {
		out = e.names.Value(name + "_convert_DequantizeLinear_Output")
	}
	for _, i := range second {
		e.replaceIn(i, name, out)
	}
	e.node("DequantizeLinear", name+"_convert_DequantizeLinear", []string{others, to.scale, to.zero}, out)
}

// renameResult renames the output of the node that produces the value, so that the dequantized
// value can take over the name.
func (e *emitter) renameResult(name string) string {
	i := e.producer[name]
	to := e.names.Value(name + "_QuantizeLinear_Input")
	outputs := slices.Clone(e.nodes[i].Outputs())
	for at := range outputs {
		if outputs[at] == name {
			outputs[at] = to
		}
	}
	e.nodes[i] = e.nodes[i].WithOutputs(outputs)
	return to
}
