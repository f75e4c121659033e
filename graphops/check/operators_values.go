package check

import (
	"lathe/graphops"
	"lathe/graphops/opschema"
)

var valueRules = []rule{
	{
		code: "attribute-value", severity: Error,
		title: "an attribute has a value that its operator does not define",
		about: `Some attributes are one of a few words (mode of Pad, auto_pad of Conv, direction of LSTM), an
element type by its number (to of Cast), or one number for each axis of the tensor (strides and pads
of Conv). ONNX Runtime rejects a model with another value, when it infers shapes or when it creates
the kernel: "mode attribute is foo", "Attribute to does not specify a valid type", "Attribute
strides has incorrect size". Case matters. Two cases are warnings: words that ONNX Runtime reads
only when the node runs, or never (reduction of ScatterElements and of losses), and a type that only
a later version of Cast defines, because ONNX Runtime produces it if it has a kernel.

The causes are words from other frameworks (bilinear instead of linear), lists for another number of
axes, and types that the imported opset does not have yet. "lathe attribute --set" sets another
value.`,
		model: attributeValues,
	},
}

func attributeValues(s *subject, report reporter) {
	for _, p := range s.model.Places() {
		for i, node := range p.Graph.Nodes() {
			if i%4096 == 0 && s.ctx.Err() != nil {
				return
			}
			look := valueChecks[node.OpType()]
			n := site{node, p, i}
			if look == nil || node.Domain() != graphops.DefaultDomain {
				continue
			}
			if schema := s.schema(n); schema != nil {
				look(values{s, n, schema, report})
			}
		}
	}
}

// values are the attributes of a node, with the functions that check and report them.
type values struct {
	*subject
	n      site
	schema *opschema.Schema
	report reporter
}

// valueChecks check the attributes of standard operators, by name.
var valueChecks = map[string]func(values){
	"Softmax": axisInRange, "LogSoftmax": axisInRange, "Hardmax": axisInRange,
	"Cast": elementType("to"), "BitCast": bitCastType, "Split": splitParts, "Flatten": flattenAxis, "Trilu": triluRank,
	"Resize":       resizeValues,
	"Upsample":     words(map[string][]string{"mode": {"nearest", "linear", "cubic"}}),
	"Pad":          words(map[string][]string{"mode": {"constant", "reflect", "edge", "wrap"}}),
	"DepthToSpace": depthValues, "SpaceToDepth": spaceValues,
	"GridSample": gridValues, "ReverseSequence": reverseValues,
	"RoiAlign":                  words(map[string][]string{"mode": {"avg", "max"}, "coordinate_transformation_mode": {"half_pixel", "output_half_pixel"}}),
	"BitShift":                  words(map[string][]string{"direction": {"LEFT", "RIGHT"}}),
	"LSTM":                      words(directionWords),
	"GRU":                       words(directionWords),
	"RNN":                       words(directionWords),
	"StringNormalizer":          words(map[string][]string{"case_change_action": {"LOWER", "UPPER", "NONE"}}),
	"TfIdfVectorizer":           words(map[string][]string{"mode": {"TF", "IDF", "TFIDF"}}),
	"ScatterElements":           words(scatterings),
	"ScatterND":                 words(scatterings),
	"Gelu":                      words(map[string][]string{"approximate": {"none", "tanh"}}),
	"NegativeLogLikelihoodLoss": words(averagings),
	"SoftmaxCrossEntropyLoss":   words(averagings),
	"RandomNormal":              elementType("dtype"), "RandomUniform": elementType("dtype"),
	"RandomNormalLike": elementType("dtype"), "RandomUniformLike": elementType("dtype"), "Bernoulli": elementType("dtype"),
	"EyeLike": elementType("dtype"), "Multinomial": elementType("dtype"),
	"BlackmanWindow": elementType("output_datatype"), "HammingWindow": elementType("output_datatype"),
	"HannWindow": elementType("output_datatype"), "MelWeightMatrix": elementType("output_datatype"),
	"QuantizeLinear": elementType("output_dtype"), "DequantizeLinear": elementType("output_dtype"),
	"Conv": windowValues, "ConvTranspose": windowValues, "ConvInteger": windowValues, "QLinearConv": windowValues,
	"SequenceEmpty": sequenceType, "DeformConv": windowValues, "MaxRoiPool": pooledPlane,
	"MaxPool": windowValues, "AveragePool": windowValues, "LpPool": windowValues, "MaxUnpool": windowValues,
}

var (
	directionWords = map[string][]string{"direction": {"forward", "reverse", "bidirectional"}}
	scatterings    = map[string][]string{"reduction": {"none", "add", "mul", "max", "min"}}
	averagings     = map[string][]string{"reduction": {"none", "sum", "mean"}}
	// empty means NOTSET
	paddings = map[string][]string{"auto_pad": {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", ""}}
)

func (v values) wrong(format string, args ...any) {
	problem := of(v.n, format, args...)
	problem.Severity = v.orWarning(v.n.place)
	problem.Hint = "set another value: lathe attribute " + at(v.n) + " --set NAME=VALUE"
	v.report(problem)
}

// tolerated reports a value that violates the standard although ONNX Runtime accepts it. The
// problem is a Warning.
func (v values) tolerated(format string, args ...any) {
	problem := of(v.n, format, args...)
	problem.Severity, problem.Hint = Warning, "set another value: lathe attribute "+at(v.n)+" --set NAME=VALUE"
	v.report(problem)
}

// unfit reports a value that is wrong for the inferred rank, which ONNX Runtime may not know
// before it runs.
func (v values) unfit(format string, args ...any) {
	problem := of(v.n, format, args...)
	if problem.Severity = v.orWarning(v.n.place); v.mayNotRun(v.n.place, v.n.index) && !v.plainlyKnown(0) {
		problem.Severity = Warning
	}
	problem.Hint = "change the input, or set another value: lathe attribute " + at(v.n) + " --set NAME=VALUE"
	v.report(problem)
}

// plainlyKnown reports whether the shape of an input is declared in the file, so that ONNX Runtime
// knows it when it loads the model.
func (v values) plainlyKnown(i int) bool {
	id, ok := v.n.place.Graph.Index().Value(v.n.Inputs()[i])
	return ok && v.n.place.Type(id).Shape != nil
}

// given returns an attribute of a kind that the node itself has.
func (v values) given(name string, kind graphops.AttributeKind) (*graphops.Attribute, bool) {
	a, ok := v.n.Attribute(name)
	return a, ok && a.RefName() == "" && a.Kind() == kind
}

func splitParts(v values) {
	list, fixed := v.given("split", graphops.AttrInts)
	_, stated := v.n.Attribute("num_outputs")
	input := v.n.Input(1) != ""
	switch {
	case fixed && v.schema.Since < 13 && len(list.Ints()) != len(v.n.Outputs()):
		v.wrong("attribute \"split\" has %s, expected one for each of %s", counted(len(list.Ints()), "number"), countedOutputs(v.n))
	case v.schema.Since >= 18 && input && stated:
		v.wrong("has both attribute \"num_outputs\" and the input of sizes, expected one of them")
	case v.schema.Since >= 18 && !input && !stated:
		v.wrong("has neither attribute \"num_outputs\" nor the input of sizes, expected one of them")
	case input:
		if d, ok := v.sizesOf(1); ok && d != len(v.n.Outputs()) {
			v.unfit("input %q has %d sizes, expected one for each of %s", v.n.Input(1), d, countedOutputs(v.n))
		}
	}
}

func countedOutputs(n site) string { return counted(len(n.Outputs()), "output") }

// sizesOf returns the length of an input that is a list.
func (v values) sizesOf(i int) (int, bool) {
	d := v.sizes(v.n, i)
	if len(d) != 1 {
		return 0, false
	}
	n, ok := d[0].Number()
	return int(n), ok
}

// rank returns the rank of an input, -1 if unknown.
func (v values) rank(i int) int {
	if d := v.sizes(v.n, i); d != nil {
		return len(d)
	}
	return -1
}

func flattenAxis(v values) {
	if a, ok := v.given("axis", graphops.AttrInt); ok && a.Int() < 0 && v.schema.Since < 11 {
		v.wrong("attribute \"axis\" is %d, but %s does not accept negative axes", a.Int(), v.operatorName(v.n, v.schema))
	}
}

// axisInRange checks an axis. ONNX Runtime reads its lower 32 bits.
func axisInRange(v values) {
	a, ok := v.given("axis", graphops.AttrInt)
	r := int64(v.rank(0))
	within := func(axis int64) bool { return -r <= axis && axis < r }
	if !ok || r < 1 || within(a.Int()) {
		return
	}
	report := v.unfit
	if within(int64(int32(a.Int()))) {
		report = v.tolerated
	}
	report("attribute \"axis\" is %d, but input %q has rank %d", a.Int(), v.n.Input(0), r)
}

func triluRank(v values) {
	if r := v.rank(0); r >= 0 && r < 2 {
		v.unfit("input %q has rank %d, expected at least 2", v.n.Input(0), r)
	}
}

// parts checks that axes of the first input can be divided by n.
func (v values) parts(what string, n int64, axes ...int) {
	for _, axis := range axes {
		if size, ok := v.size(axis); ok && n > 0 && size%n != 0 {
			v.unfit("attribute %q: axis %d of input %q is %d, which is not a multiple of %d", what, axis, v.n.Input(0), size, n)
			return
		}
	}
}

// size returns a size of the first input that is a number.
func (v values) size(axis int) (int64, bool) {
	d := v.sizes(v.n, 0)
	if axis >= len(d) {
		return 0, false
	}
	return d[axis].Number()
}

func depthValues(v values) {
	words(map[string][]string{"mode": {"DCR", "CRD"}})(v)
	if size, ok := v.blockSize(); ok {
		if size < 1<<31 { // if a larger one does not divide it, neither does its square
			size *= size
		}
		v.parts("blocksize", size, 1)
	}
}

func spaceValues(v values) {
	if size, ok := v.blockSize(); ok {
		v.parts("blocksize", size, 2, 3)
	}
}

// blockSize returns a valid blocksize, and reports an invalid one.
func (v values) blockSize() (int64, bool) {
	a, ok := v.given("blocksize", graphops.AttrInt)
	if !ok {
		return 0, false
	}
	if a.Int() < 1 {
		v.wrong("attribute \"blocksize\" is %d, expected 1 or more", a.Int())
		return 0, false
	}
	return a.Int(), true
}
