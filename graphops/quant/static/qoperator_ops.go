package static

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// operatorRule writes a node on integers, or returns why the node stays as it is. It decides before
// it writes anything.
type operatorRule func(*operators, *graphops.Node) (why string, err error)

var operatorRules = map[string]operatorRule{
	"Conv": (*operators).conv, "Gemm": (*operators).gemm, "MatMul": (*operators).matMul,
	"Add": (*operators).binary, "Mul": (*operators).binary, "Concat": (*operators).concat, "Where": (*operators).where,
	"Relu": (*operators).removable, "Clip": (*operators).removable,
	"LeakyRelu": (*operators).unary, "Sigmoid": (*operators).unary, "AveragePool": (*operators).unary, "Softmax": (*operators).softmax,
	"GlobalAveragePool": (*operators).globalPool,
	"MaxPool":           (*operators).moving, "Reshape": (*operators).moving, "Transpose": (*operators).moving, "Squeeze": (*operators).moving,
	"Unsqueeze": (*operators).moving, "Flatten": (*operators).moving, "Resize": (*operators).moving,
	"Split": (*operators).split, "Pad": (*operators).pad, "ArgMax": (*operators).argMax, "Gather": (*operators).gather,
	"EmbedLayerNormalization": (*operators).embed,
}

// floats returns why one of the values cannot become integers, or "" if all can.
func (q *operators) floats(names ...string) string {
	for _, name := range names {
		if why := q.kept[name]; why != "" {
			return fmt.Sprintf("%q %s", name, why)
		}
		if name != "" && !q.isFloat(name) {
			return fmt.Sprintf("%q is not float32", name)
		}
	}
	return ""
}

// write adds an operator with the attributes of n, except those in less, and the name of n with a
// suffix.
func (q *operators) write(n *graphops.Node, op, domain string, inputs, outputs []string, more []*graphops.Attribute, less ...string) {
	name := ""
	if n.Name() != "" {
		name = q.names.Node(n.Name() + "_quant")
	}
	attrs := slices.DeleteFunc(slices.Clone(n.Attributes()), func(a *graphops.Attribute) bool { return slices.Contains(less, a.Name()) })
	q.put(graphops.NewNode(graphops.NodeSpec{Op: op, Domain: domain, Name: name, Inputs: inputs, Outputs: outputs, Attributes: append(attrs, more...)}))
}

// of returns the three inputs that an integer operator has for an operand: its integers, scale and
// zero point.
func (f *operand) of() []string { return []string{f.q, f.scale, f.zero} }

// ruleOfWeights returns how weights become integers.
func (o Options) ruleOfWeights() tensor.AffineRule {
	return tensor.AffineRule{Type: o.WeightType, Symmetric: o.weightSymmetric(), Reduced: o.ReduceRange}
}

// ruleOfChannels returns how weights with a scale for each channel become integers: symmetrically,
// because kernels accept only one zero point for all channels.
func (q *operators) ruleOfChannels(d tensor.DType) tensor.AffineRule {
	asymmetric := d != tensor.I8
	if q.o.WeightSymmetric != quant.SymmetryByType {
		asymmetric = q.o.WeightSymmetric == quant.Asymmetric
	}
	if asymmetric {
		q.report.depart(asymmetricChannels)
	}
	return tensor.AffineRule{Type: d, Symmetric: true, Reduced: q.o.ReduceRange}
}

func (q *operators) conv(n *graphops.Node) (string, error) {
	x, w, y := n.Input(0), n.Input(1), n.Output(0)
	if why := q.floats(x, w, y); why != "" {
		return why, nil
	}
	rule, axis := q.o.ruleOfWeights(), (*int)(nil)
	if q.o.PerChannel && q.inits[w] != nil && len(q.inits[w].Dims()) > 0 {
		rule, axis = q.ruleOfChannels(tensor.I8), new(int)
	}
	return q.product(n, "QLinearConv", rule, axis, 1)
}

func (q *operators) gemm(n *graphops.Node) (string, error) {
	a, b, y := n.Input(0), n.Input(1), n.Output(0)
	if why := q.floats(a, b, y); why != "" {
		return why, nil
	}
	rule, axis := q.o.ruleOfWeights(), (*int)(nil)
	if q.o.PerChannel && q.inits[b] != nil {
		rule, axis = q.ruleOfChannels(q.o.WeightType), new(int)
		if !flag(n, "transB") {
			*axis = 1
		}
	}
	factor := 1.0
	if v, ok := n.Attribute("beta"); ok && hasInput(n, 2) && v.Float() != 1 {
		q.report.depart(gemmBeta)
		factor = float64(v.Float())
	}
	if factor == 0 {
		return "multiplies its bias by 0", nil
	}
	if v, ok := n.Attribute("alpha"); ok && hasInput(n, 2) && v.Float() != 1 {
		if v.Float() == 0 {
			return "multiplies by 0", nil
		}
		q.report.depart(gemmAlpha)
		factor /= float64(v.Float())
	}
	return q.product(n, "QGemm", rule, axis, factor)
}

// product writes a Conv or Gemm.
func (q *operators) product(n *graphops.Node, op string, rule tensor.AffineRule, axis *int, factor float64) (string, error) {
	if axis != nil {
		dims := q.inits[n.Input(1)].Dims()
		if *axis >= len(dims) || dims[*axis] > maxChannels {
			return "has a weight without channels", nil
		}
	}
	if why := q.biasObstacle(n, axis); why != "" {
		return why, nil
	}
	x, err := q.activation(n.Input(0))
	if err != nil {
		return "", err
	}
	w, err := q.weight(n.Input(1), rule, axis)
	if err != nil {
		return "", err
	}
	bias := ""
	if hasInput(n, 2) {
		if bias, err = q.bias(n.Input(2), x, w, factor); err != nil {
			return "", err
		}
	}
	y, err := q.result(n.Output(0))
	if err != nil {
		return "", err
	}
	inputs := append(x.of(), w.of()...)
	if op == "QGemm" {
		q.write(n, op, contrib, append(inputs, bias, y.scale, y.zero), []string{y.q}, nil, "beta")
		return "", nil
	}
	if inputs = append(inputs, y.scale, y.zero); bias != "" {
		inputs = append(inputs, bias)
	}
	q.write(n, op, graphops.DefaultDomain, inputs, []string{y.q}, nil)
	return "", nil
}

func (q *operators) biasObstacle(n *graphops.Node, axis *int) string {
	if !hasInput(n, 2) {
		return ""
	}
	b := q.inits[n.Input(2)]
	switch {
	case b == nil:
		q.report.depart(computedBias)
		return fmt.Sprintf("has a bias, %q, that is not an initializer", n.Input(2))
	case b.DType() != tensor.F32:
		return fmt.Sprintf("%q is not float32", b.Name())
	case axis != nil && (len(b.Dims()) != 1 || b.Dims()[0] != q.inits[n.Input(1)].Dims()[*axis]):
		q.report.depart(biasShape)
		return fmt.Sprintf("has a bias, %q, without an element for each channel", b.Name())
	}
	return ""
}

func (q *operators) matMul(n *graphops.Node) (string, error) {
	a, b, y := n.Input(0), n.Input(1), n.Output(0)
	if why := q.floats(a, b, y); why != "" {
		return why, nil
	}
	if q.o.ConstantFactors && q.inits[b] == nil {
		return "multiplies with a computed value", nil
	}
	rule, axis := q.o.ruleOfWeights(), (*int)(nil)
	if t := q.inits[b]; t != nil && q.o.PerChannel {
		if len(t.Dims()) == 2 && t.Dims()[1] <= maxChannels {
			last := -1
			rule, axis = q.ruleOfChannels(q.o.WeightType), &last
		} else {
			q.report.depart(batchedChannels)
		}
	}
	x, err := q.activation(a)
	if err != nil {
		return "", err
	}
	w, err := q.weight(b, rule, axis)
	if err != nil {
		return "", err
	}
	out, err := q.result(y)
	if err != nil {
		return "", err
	}
	q.write(n, "QLinearMatMul", graphops.DefaultDomain, append(append(x.of(), w.of()...), out.scale, out.zero), []string{out.q}, nil)
	return "", nil
}

// operands returns the inputs for several values, one after the other.
func (q *operators) operands(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		f, err := q.activation(name)
		if err != nil {
			return nil, err
		}
		out = append(out, f.of()...)
	}
	return out, nil
}

func (q *operators) binary(n *graphops.Node) (string, error) {
	return q.plain(n, n.Inputs(), nil, func(in []string, y *operand) []string { return append(in, y.scale, y.zero) })
}

func (q *operators) concat(n *graphops.Node) (string, error) {
	return q.plain(n, n.Inputs(), nil, func(in []string, y *operand) []string { return append([]string{y.scale, y.zero}, in...) })
}

func (q *operators) where(n *graphops.Node) (string, error) {
	if !q.o.Force {
		return "only moves elements, which --extra ForceQuantizeNoInputCheck=1 quantizes", nil
	}
	q.restoreOthers(n, 1, 2)
	return q.plain(n, n.Inputs()[1:3], nil, func(in []string, y *operand) []string {
		return append(append([]string{n.Input(0)}, in...), y.scale, y.zero)
	})
}

func (q *operators) unary(n *graphops.Node) (string, error) {
	if _, ok := n.Attribute("dilations"); ok {
		q.report.depart(unknownOperator)
		return "has dilations, which the integer operator does not support", nil
	}
	return q.plain(n, n.Inputs()[:1], nil, func(in []string, y *operand) []string { return append(in, y.scale, y.zero) })
}

// plain writes the operator of domain com.microsoft that corresponds to n.
func (q *operators) plain(n *graphops.Node, names []string, more []*graphops.Attribute, arrange func(in []string, y *operand) []string) (string, error) {
	if why := q.floats(append(slices.Clone(names), n.Output(0))...); why != "" {
		return why, nil
	}
	if slices.Contains(names, "") {
		return "lacks an input", nil
	}
	in, err := q.operands(names)
	if err != nil {
		return "", err
	}
	y, err := q.resultOf(n)
	if err != nil {
		return "", err
	}
	q.write(n, "QLinear"+n.OpType(), contrib, arrange(in, y), []string{y.q}, more)
	return "", nil
}

// resultOf is like result, for operators that may fix the parameters.
func (q *operators) resultOf(n *graphops.Node) (*operand, error) {
	y := n.Output(0)
	if n.Is("Softmax") {
		return q.newForm(y, y+"_quantized", q.o.overUnit())
	}
	return q.result(y)
}

func (q *operators) softmax(n *graphops.Node) (string, error) {
	opset := []*graphops.Attribute{graphops.IntAttribute("opset", q.opset)}
	return q.plain(n, n.Inputs()[:1], opset, func(in []string, y *operand) []string { return append(in, y.scale, y.zero) })
}

func (q *operators) globalPool(n *graphops.Node) (string, error) {
	if q.single(n.Input(0)) == nil {
		return unquantized, nil
	}
	last := []*graphops.Attribute{graphops.IntAttribute("channels_last", 0)}
	return q.plain(n, n.Inputs()[:1], last, func(in []string, y *operand) []string { return append(in, y.scale, y.zero) })
}

const unquantized = "none of its inputs is quantized"
