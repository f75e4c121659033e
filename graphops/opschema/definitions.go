package opschema

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// definition says how ONNX Runtime replaces a standard operator for which it has no kernel: by the
// operators that define it in the standard. ONNX Runtime does this only in opsets in which all of
// these operators are unchanged since the definition was written.
type definition struct {
	from, to  int64        // range of opsets including to; 0 means the newest
	operators []string     // those that may have no kernel for the types of the node
	only      tensor.DType // type of the first input, if the definition supports only one
	alike     bool         // it combines the first two inputs, which must have the same type
}

// definitions lists operators that have no kernel for some versions and types. All were measured
// with ONNX Runtime 1.30, in every opset, with f32, f16, bf16 and f64. An operator that is not
// listed uses its definition whenever it has no kernel.
var definitions = map[string][]definition{
	"AffineGrid":                {{from: 20, to: 20, operators: []string{"Add"}}},
	"Attention":                 {{from: 23, operators: []string{"MatMul"}}},
	"Bernoulli":                 {{from: 15, operators: []string{"RandomUniformLike", "Less"}}},
	"BlackmanWindow":            {{from: 17, to: 18}},
	"CenterCropPad":             {{from: 18, operators: []string{"Pad"}}},
	"Clip":                      {{from: 13, operators: []string{"Less"}}},
	"Elu":                       {{from: 18, to: 18, operators: []string{"Exp"}}},
	"Gelu":                      {{from: 20, operators: []string{"Mul", "Erf"}}},
	"GreaterOrEqual":            {{from: 12, to: 18, operators: []string{"Greater"}}},
	"GroupNormalization":        {{from: 18, operators: []string{"Mul"}}},
	"HammingWindow":             {{from: 17, to: 18}},
	"HannWindow":                {{from: 17, to: 18}},
	"HardSigmoid":               {{from: 18, to: 18, operators: []string{"Mul"}}},
	"HardSwish":                 {{from: 14, operators: []string{"HardSigmoid", "Mul"}}},
	"LeakyRelu":                 {{from: 16, to: 18, operators: []string{"Less"}}},
	"LessOrEqual":               {{from: 12, to: 18, operators: []string{"Less"}}},
	"LogSoftmax":                {{from: 13, operators: []string{"ReduceMax"}}},
	"MeanVarianceNormalization": {{from: 9, to: 10, only: tensor.F32}, {from: 13, to: 13, only: tensor.F32}, {from: 18, to: 18, only: tensor.F32}},
	"Mish":                      {{from: 18, operators: []string{"Softplus", "Mul"}}},
	"NegativeLogLikelihoodLoss": {{from: 12, operators: []string{"Neg"}}},
	"PRelu":                     {{from: 16, to: 18, operators: []string{"Less"}}},
	"RMSNormalization":          {{from: 23, operators: []string{"Mul"}, alike: true}},
	"ReduceL1":                  {{from: 18, operators: []string{"Abs"}}},
	"ReduceL2":                  {{from: 18, to: 18, operators: []string{"Mul"}}},
	"ReduceLogSum":              {{from: 18, operators: []string{"ReduceSum"}}},
	"ReduceLogSumExp":           {{from: 18, to: 18}},
	"ReduceSumSquare":           {{from: 18, operators: []string{"Mul"}}},
	"Relu":                      {{from: 18, to: 18, operators: []string{"Max"}}},
	"RotaryEmbedding":           {{from: 23, operators: []string{"Mul"}}},
	"Selu":                      {{from: 18, to: 18, operators: []string{"Exp"}}},
	"Softmax":                   {{from: 13, operators: []string{"ReduceMax"}}},
	"SoftmaxCrossEntropyLoss":   {{from: 12, operators: []string{"ReduceMax"}}},
	"Softplus":                  {{from: 18, to: 18, operators: []string{"Exp"}}},
	"Softsign":                  {{from: 18, to: 18, operators: []string{"Abs"}}},
	"Swish":                     {{from: 24, to: 24, operators: []string{"Mul"}}},
	"ThresholdedRelu":           {{from: 18, to: 18, operators: []string{"Less"}}},
}

// inlined are operators of ONNX Runtime that it defines by other operators, although their
// schemas do not say so, and that have kernels for some types only.
var inlined = map[string]bool{"FastGelu": true, "LayerNormalization": true}

// Shortfall says why ONNX Runtime cannot run a node by the definition of its operator in terms of
// other operators.
// Exactly one field is set.
type Shortfall struct {
	Only  tensor.DType // the definition supports only this type
	Alike bool         // the definition needs the same type for the first two inputs
	Part  *Schema      // this operator of the definition has no kernel either
}

// definition returns the definition by which ONNX Runtime can replace the node.
func (n Need) definition() (definition, bool) {
	if !n.Schema.Function || n.Schema.Domain != graphops.DefaultDomain || len(n.Inputs) == 0 {
		return definition{}, false
	}
	list := definitions[n.Schema.Name]
	i := slices.IndexFunc(list, func(d definition) bool { return d.from <= n.Opset && (n.Opset <= d.to || d.to == 0) })
	if i < 0 {
		return definition{}, false
	}
	return list[i], true
}

// shortfall returns why a definition is of no use for the types of the node; nil if ONNX Runtime
// can use it.
func (n Need) shortfall(provider string, d definition) *Shortfall {
	t := n.Inputs[0]
	if d.only != tensor.Undefined && t.Kind == graphops.TypeTensor && t.Elem != d.only {
		return &Shortfall{Only: d.only}
	}
	if d.alike && len(n.Inputs) > 1 && unlike(t, n.Inputs[1]) {
		return &Shortfall{Alike: true}
	}
	for _, operator := range n.usedOf(d.operators) {
		part, known := n.part(operator, t)
		if known && part.On(provider).Way == Missing {
			return &Shortfall{Part: part.Schema}
		}
	}
	return nil
}

func unlike(a, b graphops.Type) bool {
	return a.Kind == graphops.TypeTensor && b.Kind == graphops.TypeTensor && a.Elem != b.Elem &&
		a.Elem != tensor.Undefined && b.Elem != tensor.Undefined
}

// usedOf returns the operators of a definition without those that this node does not need.
func (n Need) usedOf(operators []string) []string {
	bounded := slices.ContainsFunc(n.Inputs[1:], func(t graphops.Type) bool { return t.Kind != graphops.TypeUnknown })
	return slices.DeleteFunc(slices.Clone(operators), func(name string) bool {
		return n.Schema.Name == "Clip" && !bounded || name == "Erf" && n.text("approximate", "none") != "none"
	})
}

// part returns what one operator of a definition needs for an element type.
func (n Need) part(name string, t graphops.Type) (Need, bool) {
	schema, ok := Find(graphops.DefaultDomain, name, n.Opset)
	if !ok || t.Kind != graphops.TypeTensor {
		return Need{}, false
	}
	return Need{Runtime: n.Runtime, Schema: schema, Version: n.Opset, Opset: n.Opset, Inputs: []graphops.Type{t}}, true
}
