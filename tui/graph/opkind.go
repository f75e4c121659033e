package graph

import (
	"strings"
	"sync"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/tui/theme"
)

// opKinds lists the operators of each kind, in any domain of the schema. Operators that are in no
// list compute elements, and those that the schema does not have are custom.
var opKinds = []struct {
	Kind theme.OpKind
	Help string
	ops  string
}{
	{theme.OpCompute, "computes elements", ""},
	{theme.OpNormalize, "normalizes or weighs", `
		BatchNormalization EmbedLayerNormalization GatedRMSNorm GroupNorm GroupNormalization Hardmax
		InstanceNormalization LRN LayerNormalization LogSoftmax LpNormalization MeanVarianceNormalization Normalizer
		QEmbedLayerNormalization QLinearSoftmax QOrderedLayerNormalization RMSNormalization Scaler
		SimplifiedLayerNormalization SkipGroupNorm SkipLayerNormalization SkipSimplifiedLayerNormalization Softmax BiasSoftmax`},
	{theme.OpMove, "moves or converts elements", `
		ArrayFeatureExtractor BitCast Cast CastLike CenterCropPad Col2Im Compress Concat ConcatFromSequence Crop
		DepthToSpace DequantizeBFP DequantizeLinear DequantizeWithOrder DynamicQuantizeLinear DynamicSlice Expand
		FeatureVectorizer Gather GatherBlockQuantized GatherElements GatherND MemcpyFromHost MemcpyToHost OneHot
		OneHotEncoder Pad QLinearConcat QLinearWhere QuantizeBFP QuantizeLinear QuantizeWithOrder RemovePadding
		ReorderInput ReorderOutput RestorePadding ReverseSequence Scatter ScatterElements ScatterND SequenceAt
		SequenceConstruct SequenceEmpty SequenceErase SequenceInsert Slice SpaceToDepth Split SplitToSequence
		TensorScatter Tile Transpose Trilu UnfoldTensor Where`},
	{theme.OpShape, "sizes, views and constants", `
		Constant ConstantOfShape ExpandDims EyeLike Flatten GivenTensorFill Identity NonZero Optional
		OptionalGetElement OptionalHasElement Range Reshape SequenceLength Shape Size Squeeze Unsqueeze`},
	{theme.OpControl, "runs other graphs", `
		BeamSearch EPContext Gradient GreedySearch If Loop Sampling Scan SequenceMap WhisperBeamSearch`},
	{theme.OpCustom, "not in the standard or ONNX Runtime", ""},
}

// kindOfOp is the kind of operators by name.
var kindOfOp = sync.OnceValue(func() map[string]theme.OpKind {
	out := map[string]theme.OpKind{}
	for _, row := range opKinds {
		for _, op := range strings.Fields(row.ops) {
			out[op] = row.Kind
		}
	}
	return out
})

// knownKinds keeps the kinds of operators that were asked for, by domain and name.
var knownKinds sync.Map

// KindOfOp returns the kind of a node's operator.
func KindOfOp(n *graphops.Node) theme.OpKind {
	key := [2]string{n.Domain(), n.OpType()}
	if kind, ok := knownKinds.Load(key); ok {
		return kind.(theme.OpKind)
	}
	kind, listed := kindOfOp()[n.OpType()]
	switch {
	case len(opschema.Versions(n.Domain(), n.OpType())) == 0:
		kind = theme.OpCustom
	case !listed:
		kind = theme.OpCompute
	}
	knownKinds.Store(key, kind)
	return kind
}

// OpKind returns the kind of the operator in a row, and false for inputs and outputs.
func (o *Outline) OpKind(row int) (theme.OpKind, bool) {
	n := o.Node(row)
	if n == nil {
		return 0, false
	}
	return KindOfOp(n), true
}

// OpLegend names the kinds of operators in the order of the styles.
func OpLegend() []Fact {
	var out []Fact
	for _, row := range opKinds {
		out = append(out, Fact{row.Kind.String(), row.Help})
	}
	return out
}
