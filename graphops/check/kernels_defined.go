package check

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
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
	"CenterCropPad":             {{from: 18, operators: []string{"Pad"}}},
	"Clip":                      {{from: 13, operators: []string{"Less"}}},
	"Elu":                       {{from: 18, to: 18, operators: []string{"Exp"}}},
	"Gelu":                      {{from: 20, operators: []string{"Mul", "Erf"}}},
	"GreaterOrEqual":            {{from: 12, to: 18, operators: []string{"Greater"}}},
	"GroupNormalization":        {{from: 18, operators: []string{"Mul"}}},
	"HardSigmoid":               {{from: 18, to: 18, operators: []string{"Mul"}}},
	"HardSwish":                 {{from: 14, operators: []string{"HardSigmoid", "Mul"}}},
	"LeakyRelu":                 {{from: 16, to: 18, operators: []string{"Less"}}},
	"LessOrEqual":               {{from: 12, to: 18, operators: []string{"Less"}}},
	"LogSoftmax":                {{from: 13, operators: []string{"ReduceMax"}}},
	"MeanVarianceNormalization": {{from: 9, to: 9, only: tensor.F32}, {from: 13, to: 13, only: tensor.F32}, {from: 18, to: 18, only: tensor.F32}},
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

// lacking returns a message about the kernel that is missing to run a node on the CPU in an opset,
// or an empty string if none is. If there is a definition by other operators, it is used instead of
// a float kernel with casts.
func (w wanted) lacking(opset int64) string {
	if w.has() {
		return ""
	}
	if d, ok := w.definition(opset); ok {
		return w.lackingIn(d, opset)
	}
	if opset >= castsByNumber && w.asFloat().has() {
		return ""
	}
	return w.message()
}

// castsByNumber is the first opset whose Cast gives its type by number. In earlier ones ONNX
// Runtime cannot insert casts around a node of float16.
const castsByNumber = 6

// definition returns the definition by which ONNX Runtime can replace the node in an opset.
func (w wanted) definition(opset int64) (definition, bool) {
	if !w.schema.Function || w.schema.Domain != graphops.DefaultDomain || len(w.in) == 0 {
		return definition{}, false
	}
	list := definitions[w.schema.Name]
	i := slices.IndexFunc(list, func(d definition) bool { return d.from <= opset && (opset <= d.to || d.to == 0) })
	if i < 0 {
		return definition{}, false
	}
	return list[i], true
}

// lackingIn returns a message about the kernel that is missing to run the operators of a
// definition, or an empty string.
func (w wanted) lackingIn(d definition, opset int64) string {
	name, t := fmt.Sprintf("%s-%d", w.schema.Name, w.schema.Since), w.in[0]
	if d.only != tensor.Undefined && t.Kind == graphops.TypeTensor && t.Elem != d.only {
		return fmt.Sprintf("ONNX Runtime has no kernel on the CPU for %s of %s, and its definition by other operators in opset %d supports only %s", name, t, opset, d.only)
	}
	if d.alike && len(w.in) > 1 && unlike(t, w.in[1]) {
		return fmt.Sprintf("ONNX Runtime has no kernel on the CPU for %s of %s with %s, and its definition by other operators needs the same type for both", name, t, w.in[1])
	}
	for _, operator := range w.usedOf(d.operators) {
		if part, known := partOf(operator, opset, t); known && part.lacking(opset) != "" {
			return fmt.Sprintf("ONNX Runtime has no kernel on the CPU for %s of %s, nor for %s-%d, by which it is defined", name, t, operator, part.schema.Since)
		}
	}
	return ""
}

// usedOf returns the operators of a definition without those that this node does not need.
func (w wanted) usedOf(operators []string) []string {
	bounded := slices.ContainsFunc(w.in[1:], func(t graphops.Type) bool { return t.Kind != graphops.TypeUnknown })
	return slices.DeleteFunc(slices.Clone(operators), func(name string) bool {
		return w.schema.Name == "Clip" && !bounded || name == "Erf" && w.approximate
	})
}

// partOf returns the kernel that one operator of a definition needs for an element type.
func partOf(name string, version int64, t graphops.Type) (wanted, bool) {
	schema, ok := opschema.Find(graphops.DefaultDomain, name, version)
	if !ok || t.Kind != graphops.TypeTensor {
		return wanted{}, false
	}
	return wanted{schema: schema, kernels: opschema.Kernels(schema.Domain, name), in: []graphops.Type{t}}, true
}
