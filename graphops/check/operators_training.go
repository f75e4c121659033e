package check

import (
	"slices"
	"strings"
)

// trainingOperators are those of com.microsoft that builds of ONNX Runtime with training
// register and others do not, besides the gradients, whose names end with Grad.
var trainingOperators = []string{
	"AdamOptimizer", "AdamWOptimizer", "AdasumAllReduce", "BatchNormInternal", "BroadcastGradientArgs", "ConcatTraining", "DivGrad",
	"FusedMatMulGrad", "GistBinarizeEncoder", "GistBinarizeDecoder", "Group", "InPlaceAccumulator", "InPlaceAccumulatorV2", "LambOptimizer",
	"LayerNormalizationGrad", "LSTMTraining", "GRUTraining", "MegatronF", "MegatronG", "MixedPrecisionScale", "NcclAllGather",
	"NcclReduceScatter", "PadAndUnflatten", "PassThrough", "PythonOp", "PythonOpGrad", "RecordEvent", "ReduceAllL2", "ReduceSumTraining",
	"ResizeGrad", "SGDOptimizer", "SGDOptimizerV2", "SoftmaxCrossEntropyLossInternal", "SplitTraining", "SummaryHistogram", "SummaryMerge",
	"SummaryScalar", "SummaryText", "WaitEvent", "YieldOp", "ZeroGradient",
}

// isTraining reports whether a name of com.microsoft is one of training.
func isTraining(op string) bool {
	for _, end := range []string{"Grad", "Grad_13", "InternalGrad"} {
		if strings.HasSuffix(op, end) {
			return true
		}
	}
	return slices.Contains(trainingOperators, op)
}
