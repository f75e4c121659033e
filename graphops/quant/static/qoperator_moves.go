package static

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// removable removes a Relu or Clip if the integers that it reads represent no number that it would
// cut off.
func (q *operators) removable(n *graphops.Node) (string, error) {
	x, y := n.Input(0), n.Output(0)
	f := q.single(x)
	switch {
	case f == nil:
		return unquantized, nil
	case q.o.ActivationSymmetric:
		return "cuts off numbers that symmetric integers represent", nil
	case f.constant != nil || !q.saturatesAt(n, f.rule, f.by):
		q.report.depart(removedActivation)
		return "cuts off numbers that the integers it reads represent", nil
	}
	q.forms[y] = append(q.forms[y], f)
	q.report.Removed = append(q.report.Removed, n.Name())
	return "", nil
}

// moved returns the integer form of the input of an operator that only moves elements; nil if there
// is none and the options do not force one.
func (q *operators) moved(x string) (*operand, error) {
	if f := q.single(x); f != nil || !q.o.Force || q.floats(x) != "" {
		return f, nil
	}
	if q.inits[x] == nil {
		q.report.depart(forcedMoves)
	}
	return q.activation(x)
}

// restoreOthers makes sure that the inputs of a node, except those at the given positions, exist as
// floats.
func (q *operators) restoreOthers(n *graphops.Node, but ...int) {
	for at, name := range n.Inputs() {
		if !slices.Contains(but, at) && q.restore(name) {
			q.report.depart(missingOperand)
		}
	}
}

// moving writes a node that only moves elements, on integers.
func (q *operators) moving(n *graphops.Node) (string, error) {
	x, y := n.Input(0), n.Output(0)
	if n.OpType() == "Resize" && q.opset < 11 || n.OpType() == "MaxPool" && q.opset < 12 {
		return "belongs to an opset whose operator does not support integers", nil
	}
	f, err := q.moved(x)
	if err != nil || f == nil {
		return unquantized, err
	}
	if why := q.floats(y); why != "" {
		return why, nil
	}
	if q.o.Force && q.inits[x] == nil {
		q.report.depart(forcedMoves)
	}
	q.restoreOthers(n, 0)
	q.renamed(n, f, q.alike(y, y+"_quantized", f))
	return "", nil
}

// renamed writes a node that reads f and produces y, under its own name.
func (q *operators) renamed(n *graphops.Node, f, y *operand) {
	inputs, outputs := slices.Clone(n.Inputs()), slices.Clone(n.Outputs())
	inputs[0] = f.q
	outputs[0] = y.q
	q.put(n.WithInputs(inputs).WithOutputs(outputs))
	for _, name := range outputs[1:] {
		q.there[name] = true
	}
}

func (q *operators) gather(n *graphops.Node) (string, error) {
	x, y := n.Input(0), n.Output(0)
	if q.inits[x] == nil {
		return "gathers from a computed value", nil
	}
	if why := q.floats(x, y); why != "" {
		return why, nil
	}
	f := q.single(x)
	if f == nil {
		var err error
		if f, err = q.activation(x); err != nil {
			return "", err
		}
	}
	q.restoreOthers(n, 0)
	q.renamed(n, f, q.alike(y, y+"_quantized", f))
	return "", nil
}

func (q *operators) argMax(n *graphops.Node) (string, error) {
	f := q.single(n.Input(0))
	if f == nil {
		return unquantized, nil
	}
	inputs := slices.Clone(n.Inputs())
	inputs[0] = f.q
	q.put(n.WithInputs(inputs))
	q.there[n.Output(0)] = true
	return "", nil
}

func (q *operators) split(n *graphops.Node) (string, error) {
	if why := q.floats(append(slices.Clone(n.Outputs()), n.Input(0))...); why != "" {
		return why, nil
	}
	f := q.single(n.Input(0))
	if f == nil {
		var err error
		if f, err = q.activation(n.Input(0)); err != nil {
			return "", err
		}
	}
	q.restoreOthers(n, 0)
	inputs, outputs := slices.Clone(n.Inputs()), slices.Clone(n.Outputs())
	inputs[0] = f.q
	for at, name := range outputs {
		if name != "" {
			outputs[at] = q.alike(name, name+"quantized", f).q
		}
	}
	q.write(n, "Split", graphops.DefaultDomain, inputs, outputs, nil)
	return "", nil
}

func (q *operators) pad(n *graphops.Node) (string, error) {
	x, y := n.Input(0), n.Output(0)
	f := q.single(x)
	switch {
	case q.opset < 11:
		return "belongs to an opset whose operator does not support integers", nil
	case f == nil:
		return unquantized, nil
	}
	if why := q.floats(y); why != "" {
		return why, nil
	}
	inputs := slices.Clone(n.Inputs())
	inputs[0] = f.q
	if mode, ok := n.Attribute("mode"); !ok || mode.Text() == "constant" {
		for len(inputs) < 3 {
			inputs = append(inputs, "")
		}
		if inputs[2] == "" {
			inputs[2] = f.zero
		} else {
			var err error
			if inputs[2], err = q.padding(inputs[2], f); err != nil {
				return "", err
			}
		}
	}
	q.restoreOthers(n, 0, 2)
	q.renamed(n.WithInputs(inputs), f, q.alike(y, y+"_quantized", f))
	return "", nil
}

// padding returns the value that a Pad adds, as an integer with the parameters of the padded value.
func (q *operators) padding(name string, f *operand) (string, error) {
	t := q.inits[name]
	if t == nil || t.DType() != tensor.F32 {
		q.restore(name)
		codes := q.names.Value(name + "_quantized")
		q.put(graphops.NewNode(graphops.NodeSpec{
			Op: "QuantizeLinear", Name: q.names.Node(name + "_QuantizeLinear"), Inputs: []string{name, f.scale, f.zero}, Outputs: []string{codes},
		}))
		return codes, nil
	}
	if len(q.readers[name]) > 1 {
		q.report.depart(sharedConstant)
	}
	data, err := t.Data()
	if err != nil {
		return "", err
	}
	c := &constant{name: name, dims: t.Dims(), data: data, rule: tensor.AffineRule{Type: f.rule}, by: []tensor.Affine{f.by}}
	codes := q.names.Value(name + "_quantized")
	q.added = append(q.added, graphops.NewTensor(codes, f.rule, c.dims, c.codes()))
	return codes, nil
}
