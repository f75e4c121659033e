package check

import (
	"slices"
	"strings"
)

// trainingOperators are the operators of com.microsoft that only builds of ONNX Runtime for
// training have. Gradients are not listed; their names end with Grad.
var trainingOperators = []string{
	"AdamOptimizer", "AdamWOptimizer", "AdasumAllReduce", "BatchNormInternal", "BroadcastGradientArgs", "ConcatTraining", "DivGrad",
	"FusedMatMulGrad", "GistBinarizeEncoder", "GistBinarizeDecoder", "Group", "InPlaceAccumulator", "InPlaceAccumulatorV2", "LambOptimizer",
	"LayerNormalizationGrad", "LSTMTraining", "GRUTraining", "MegatronF", "MegatronG", "MixedPrecisionScale", "NcclAllGather",
	"NcclReduceScatter", "PadAndUnflatten", "PassThrough", "PythonOp", "PythonOpGrad", "RecordEvent", "ReduceAllL2", "ReduceSumTraining",
	"ResizeGrad", "SGDOptimizer", "SGDOptimizerV2", "SoftmaxCrossEntropyLossInternal", "SplitTraining", "SummaryHistogram", "SummaryMerge",
	"SummaryScalar", "SummaryText", "WaitEvent", "YieldOp", "ZeroGradient",
}

// isTraining reports whether an operator of com.microsoft is for training.
func isTraining(op string) bool {
	for _, end := range []string{"Grad", "Grad_13", "InternalGrad"} {
		if strings.HasSuffix(op, end) {
			return true
		}
	}
	return slices.Contains(trainingOperators, op)
}
