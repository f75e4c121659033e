package check

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

var kernelAttributeRules = []rule{{
	code: "kernel-attribute", severity: Error, kernels: true,
	title: "an attribute has a value that ONNX Runtime's kernel does not support",
	about: `The schema of an operator only defines the type of an attribute. The description of the operator
says which values are valid: a number such as 0 or 1, a word (for operators of ai.onnx.ml), lists of
equal length, the number of neurons of an LSTM, tree nodes that refer to each other. ONNX Runtime
checks these attributes when it creates the kernel, and rejects the model with "Exception during
initialization". The checker of the onnx package does not check them. Case matters in words: "Max"
is not "MAX", except for the activations of GRU and LSTM. Some attributes that are optional in the
standard are required by the kernel: hidden_size of recurrent operators; kernel_params, coefficients
and rho of support vector machines. Some valid values have no kernel: layout 1 of recurrent
operators.

The causes are misspelt words, -1 used for "none", and, in tree ensembles, nodes that were removed
from only some of the lists.

"lathe attribute" sets another value.`,
	place: refusedAttributes,
}}

// attributeDemand is what a kernel of ONNX Runtime requires of an attribute. Attributes and
// values that are not listed are not checked.
type attributeDemand struct {
	attribute string
	words     []string // allowed strings
	numbers   []int64  // allowed integers
}

var (
	zeroOrOne         = []int64{0, 1}
	transforms        = attributeDemand{attribute: "post_transform", words: []string{"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}}
	expertActivations = attributeDemand{attribute: "activation_type", words: []string{"relu", "gelu", "silu", "swiglu", "identity"}}
	directions        = attributeDemand{attribute: "direction", words: directionWords["direction"]}
	svmKernels        = attributeDemand{attribute: "kernel_type", words: []string{"LINEAR", "POLY", "RBF", "SIGMOID"}}
)

const (
	ml        = "ai.onnx.ml"
	microsoft = graphops.MicrosoftDomain
)

// attributeDemands lists what kernels require of single attributes, by domain and operator.
var attributeDemands = map[graphops.Op][]attributeDemand{
	{Domain: microsoft, Name: "CDist"}:         {{attribute: "metric", words: []string{"euclidean", "sqeuclidean"}}},
	{Domain: microsoft, Name: "CropAndResize"}: {{attribute: "mode", words: []string{"bilinear", "nearest"}}},
	{Domain: microsoft, Name: "FusedConv"}: {{
		attribute: "activation", words: []string{"Relu", "Tanh", "Sigmoid", "LeakyRelu", "Clip", "HardSigmoid", "HardSwish"},
	}},
	{Domain: microsoft, Name: "FusedGemm"}: {{attribute: "activation", words: []string{
		"Celu", "Elu", "HardSigmoid", "LeakyRelu", "ParametricSoftplus", "Relu", "Selu", "Sigmoid", "Softplus", "Softsign", "Tanh", "ThresholdedRelu",
	}}},
	{Domain: microsoft, Name: "GridSample"}: {
		{attribute: "mode", words: []string{"bilinear", "nearest", "bicubic"}}, {attribute: "padding_mode", words: []string{"zeros", "border", "reflection"}},
	},
	{Domain: microsoft, Name: "CausalConvWithState"}: {{attribute: "activation", words: []string{"none", "silu", "swish"}}},
	{Domain: microsoft, Name: "MatMulBnb4"}:          {{attribute: "quant_type", numbers: zeroOrOne}},
	{Domain: microsoft, Name: "MatMulNBits"}: {
		{attribute: "bits", numbers: []int64{2, 4, 8}}, {attribute: "block_size", numbers: []int64{16, 32, 64, 128, 256}},
	},
	{Domain: microsoft, Name: "MoE"}:                 {expertActivations},
	{Domain: microsoft, Name: "QMoE"}:                {{attribute: "expert_weight_bits", numbers: []int64{2, 4, 8}}, expertActivations},
	{Domain: microsoft, Name: "Pad"}:                 {{attribute: "mode", words: []string{"constant", "reflect", "edge", "wrap"}}},
	{Domain: microsoft, Name: "AttnLSTM"}:            {directions},
	{Domain: microsoft, Name: "DynamicQuantizeLSTM"}: {directions},
	{Domain: ml, Name: "TreeEnsemble"}: {
		{attribute: "post_transform", numbers: []int64{0, 1, 2, 3, 4}}, {attribute: "aggregate_function", numbers: []int64{0, 1, 2, 3}},
	},
	{Name: "CumProd"}:                            {{attribute: "exclusive", numbers: zeroOrOne}, {attribute: "reverse", numbers: zeroOrOne}},
	{Name: "CumSum"}:                             {{attribute: "exclusive", numbers: zeroOrOne}, {attribute: "reverse", numbers: zeroOrOne}},
	{Name: "LpNormalization"}:                    {{attribute: "p", numbers: []int64{1, 2}}},
	{Name: "MaxPool"}:                            {{attribute: "storage_order", numbers: zeroOrOne}},
	{Name: "Mod"}:                                {{attribute: "fmod", numbers: zeroOrOne}},
	{Name: "NonMaxSuppression"}:                  {{attribute: "center_point_box", numbers: zeroOrOne}},
	{Name: "TensorScatter"}:                      {{attribute: "mode", words: []string{"linear", "circular"}}},
	{Domain: ml, Name: "LinearClassifier"}:       {transforms},
	{Domain: ml, Name: "LinearRegressor"}:        {transforms},
	{Domain: ml, Name: "Normalizer"}:             {{attribute: "norm", words: []string{"MAX", "L1", "L2"}}},
	{Domain: ml, Name: "SVMClassifier"}:          {transforms, svmKernels},
	{Domain: ml, Name: "SVMRegressor"}:           {transforms, svmKernels},
	{Domain: ml, Name: "TreeEnsembleClassifier"}: {transforms},
	{Domain: ml, Name: "TreeEnsembleRegressor"}: {
		transforms, {attribute: "aggregate_function", words: []string{"SUM", "AVERAGE", "MIN", "MAX"}},
	},
}

// equalLengths lists attributes that must be lists of the same length, by domain and operator. An
// omitted attribute has length 0.
var equalLengths = map[graphops.Op][][]string{
	{Domain: ml, Name: "TreeEnsembleClassifier"}: {treeNodes, {"class_nodeids", "class_treeids", "class_ids"}},
	{Domain: ml, Name: "TreeEnsembleRegressor"}:  {treeNodes, {"target_nodeids", "target_treeids", "target_ids"}},
	{Domain: ml, Name: "Scaler"}:                 {{"scale", "offset"}},
}

var treeNodes = []string{
	"nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_modes", "nodes_truenodeids", "nodes_falsenodeids",
}

func refusedAttributes(s *subject, p *graphops.Place, report reporter) {
	if _, err := s.shapes(); err != nil {
		return
	}
	var kept *keeper
	for i, node := range p.Graph.Nodes() {
		n := site{node, p, i}
		key := n.Op()
		demands, lists := attributeDemands[key], equalLengths[key]
		schema, more := s.schema(n), kernelDemands[key]
		if schema == nil || demands == nil && lists == nil && more == nil {
			continue
		}
		text := attributeFault(n, demands, lists)
		if text == "" && more != nil {
			text = more(settings{n}, schema.Since)
		}
		if text == "" {
			continue
		}
		if kept == nil {
			k := keeperOf(s, p)
			kept = &k
		}
		if kept.keeps(n) {
			problem := of(n, "%s", text)
			problem.Hint = "set another value: lathe attribute " + at(n) + " --set NAME=VALUE"
			report(problem)
		}
	}
}

// attributeFault returns a message about the first requirement that a node violates, or an empty
// string.
func attributeFault(n site, demands []attributeDemand, lists [][]string) string {
	for _, d := range demands {
		if text := d.fault(n); text != "" {
			return text
		}
	}
	for _, names := range lists {
		for _, name := range names[1:] {
			a, known := listLength(n, names[0])
			b, also := listLength(n, name)
			if known && also && a != b {
				return fmt.Sprintf("attribute %q has %d elements, but %q has %d, expected the same number", names[0], a, name, b)
			}
		}
	}
	return ""
}

func (d attributeDemand) fault(n site) string {
	a, ok := n.Attribute(d.attribute)
	if !ok || a.RefName() != "" {
		return ""
	}
	switch kind := a.Kind(); {
	case kind == graphops.AttrString && d.words != nil && !slices.Contains(d.words, a.Text()):
		return fmt.Sprintf("attribute %q is %q, expected %s", d.attribute, a.Text(), anyOf(d.words))
	case kind == graphops.AttrInt && d.numbers != nil && !slices.Contains(d.numbers, a.Int()):
		return fmt.Sprintf("attribute %q is %d, expected %s", d.attribute, a.Int(), anyOf(d.numbers))
	default:
		return ""
	}
}

// listLength returns the length of an attribute's list. It is unknown if the list is deferred or
// given by a call.
func listLength(n site, name string) (length int, known bool) {
	a, ok := n.Attribute(name)
	if !ok {
		return 0, true
	}
	if _, deferred := a.Deferred(); deferred || a.RefName() != "" {
		return 0, false
	}
	switch a.Kind() {
	case graphops.AttrInts:
		return len(a.Ints()), true
	case graphops.AttrFloats:
		return len(a.Floats()), true
	case graphops.AttrStrings:
		return len(a.Texts()), true
	default:
		return 0, false
	}
}
