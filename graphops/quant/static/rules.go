package static

import "lathe/graphops"

// rule marks the values of a node.
type rule func(*marker, int, *graphops.Node)

var rules = map[string]rule{
	"Conv": markConv, "ConvTranspose": markConv,
	"Gemm": markGemm, "MatMul": markMatMul,
	"Relu": markRemovable, "Clip": markRemovable,
	"Reshape": markMoving, "Transpose": markMoving, "Squeeze": markMoving, "Unsqueeze": markMoving, "Flatten": markMoving,
	"Slice": markMoving, "TopK": markMoving, "AveragePool": markMoving,
	"Resize": markResize, "MaxPool": markMaxPool,
	"Split": markSplit, "Gather": markGather, "GatherElements": markGather, "Pad": markPad, "Where": markWhere,
	"InstanceNormalization": markNorm, "LayerNormalization": markNorm, "BatchNormalization": markNorm,
	"Add": markAll, "Mul": markAll, "Concat": markAll, "Softmax": markAll, "Sigmoid": markAll, "LeakyRelu": markAll,
	"GlobalAveragePool": markAll, "ArgMax": markAll, "CumSum": markAll, "EmbedLayerNormalization": markAll,
}
