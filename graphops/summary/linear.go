package summary

import (
	"lathe/graphops"
)

// linear is a product with weights.
type linear struct {
	in, out int64 // the widths, 0 if not known
	// mlp is the width between an earlier product and this one, which returns to the earlier one's
	// width, and first is the node of the earlier one. mlp is 0 without such a product.
	mlp   int64
	first int32
}

// linearForm says where the weights of an operator are.
type linearForm struct {
	weight     int    // the position among the inputs
	transposes string // the attribute that says that the weights are stored as out × in, "" for none
	attributes bool   // the widths are the attributes K and N
}

// linears are the operators that multiply by weights.
var linears = map[graphops.Op]linearForm{
	{Name: "Gemm"}:          {weight: 1, transposes: "transB"},
	{Name: "MatMul"}:        {weight: 1},
	{Name: "MatMulInteger"}: {weight: 1},
	{Name: "QLinearMatMul"}: {weight: 3},
	{Domain: graphops.MicrosoftDomain, Name: "DynamicQuantizeMatMul"}: {weight: 1},
	{Domain: graphops.MicrosoftDomain, Name: "FusedGemm"}:             {weight: 1, transposes: "transB"},
	{Domain: graphops.MicrosoftDomain, Name: "FusedMatMul"}:           {weight: 1, transposes: "transB"},
	{Domain: graphops.MicrosoftDomain, Name: "GemmFastGelu"}:          {weight: 1},
	{Domain: graphops.MicrosoftDomain, Name: "GemmFloat8"}:            {weight: 1, transposes: "transB"},
	{Domain: graphops.MicrosoftDomain, Name: "MatMulBnb4"}:            {weight: 1, attributes: true},
	{Domain: graphops.MicrosoftDomain, Name: "MatMulInteger16"}:       {weight: 1},
	{Domain: graphops.MicrosoftDomain, Name: "MatMulIntegerToFloat"}:  {weight: 1},
	{Domain: graphops.MicrosoftDomain, Name: "MatMulNBits"}:           {weight: 1, attributes: true},
	{Domain: graphops.MicrosoftDomain, Name: "QGemm"}:                 {weight: 3, transposes: "transB"},
	{Domain: graphops.MicrosoftDomain, Name: "QLinearMatMul"}:         {weight: 3},
	{Domain: graphops.MicrosoftDomain, Name: "TransposeMatMul"}:       {weight: 1, transposes: "transB"},
}

// linearMark returns the mark of a product if one operand is stored in the model and has two axes.
func (v *view) linearMark(n *graphops.Node, form linearForm) *mark {
	weight := v.in(n, form.weight)
	if !v.isConstant(weight) {
		return nil
	}
	m := &mark{what: isLinear, kind: "linear layer"}
	if form.attributes {
		m.linear.in, m.linear.out = max(0, number(n, "K", 0)), max(0, number(n, "N", 0))
		return m
	}
	if d := v.dims(weight); d != nil && len(d) != 2 {
		return nil
	}
	m.linear.in, m.linear.out = v.size(weight, 0), v.size(weight, 1)
	if form.transposes != "" && number(n, form.transposes, 0) != 0 {
		m.linear.in, m.linear.out = m.linear.out, m.linear.in
	}
	return m
}

// between are operators that work on each element, or on the width only, as an activation does.
// They can be between the two products of an MLP.
var between = and(ops("Abs", "Add", "Cast", "Celu", "Clip", "DequantizeLinear", "Div", "Dropout", "DynamicQuantizeLinear", "Elu", "Erf", "Exp", "Gelu", "HardSigmoid",
	"HardSwish", "Identity", "LeakyRelu", "Max", "Min", "Mish", "Mul", "Neg", "PRelu", "Pow", "QuantizeLinear", "Relu", "Reshape", "Selu", "Sigmoid", "Slice",
	"Softplus", "Softsign", "Split", "Sqrt", "Squeeze", "Sub", "Swish", "Tanh", "ThresholdedRelu", "Transpose", "Unsqueeze", "Where"),
	"BiasAdd", "BiasGelu", "BiasSplitGelu", "FastGelu", "Gelu", "QLinearAdd", "QLinearLeakyRelu", "QLinearMul", "QLinearSigmoid", "QuickGelu", "QuantizeLinear", "DequantizeLinear")

// maxBetween is the maximum number of nodes between the products of an MLP that are visited.
const maxBetween = 40

// findMLPs finds pairs of products: the second returns to the width of the first one.
func (v *view) findMLPs() {
	for i, m := range v.at {
		if m != nil && m.what == isLinear && m.linear.in > 0 {
			v.pair(i, m)
		}
	}
}

// pair searches backwards from a product for the first product of an MLP.
func (v *view) pair(at int, m *mark) {
	next := []graphops.ValueID{v.in(v.nodes[at], 0)}
	seen := map[int]bool{}
	for len(next) > 0 && len(seen) < maxBetween {
		p := v.producer(next[0])
		next = next[1:]
		if p < 0 || seen[p] {
			continue
		}
		seen[p] = true
		n := v.nodes[p]
		if first := v.at[p]; first != nil {
			l := first.linear
			if first.what == isLinear && l.in == m.linear.out && l.in < m.linear.in && (l.out == m.linear.in || l.out == 2*m.linear.in) {
				m.linear.mlp, m.linear.first = m.linear.in, int32(p)
				return
			}
			if first.what != isConv || !first.conv.depthwise {
				continue
			}
			next = append(next, v.in(n, 0)) // it keeps the width
			continue
		}
		if between[n.Op()] {
			for nth := range min(len(n.Inputs()), 3) {
				if id := v.in(n, nth); id != none && !v.x.IsInitializer(id) {
					next = append(next, id)
				}
			}
		}
	}
}
