package opset

import (
	"sync"

	"lathe/graphops"
)

// adapters has the adapter for each version of an operator that has one. An adapter rewrites a node
// for that version.
var adapters = sync.OnceValue(func() map[change]adapter {
	out := map[change]adapter{}
	add := func(a adapter, since int64, ops ...string) {
		for _, op := range ops {
			out[change{op, since}] = a
		}
	}
	inPlace := dropped("consumed_inputs")
	add(inPlace, 6, "Abs", "Add", "BatchNormalization", "Ceil", "Clip", "Div", "Dropout", "Elu", "Exp", "Floor", "HardSigmoid", "InstanceNormalization",
		"LeakyRelu", "Log", "Max", "Mean", "Min", "Mul", "Neg", "PRelu", "Reciprocal", "Relu", "Sigmoid", "Sqrt", "Sub", "Sum", "Tanh")
	add(stated("alpha and gamma are stated, because their defaults changed", graphops.FloatAttribute("alpha", 1.6732), graphops.FloatAttribute("gamma", 1.0507)), 6, "Selu")
	add(castNumbered, 6, "Cast")
	add(stated("the axis is stated, because it no longer has a default", graphops.IntAttribute("axis", 1)), 4, "Concat")
	add(wholeNorm, 2, "GlobalLpPool", "LpPool")
	add(named("paddings", "pads"), 2, "Pad")
	add(splitSizes, 2, "Split")
	add(tiled, 6, "Tile")
	add(moved([]string{"shape"}, nil), 5, "Reshape")

	add(broadcast, 7, "Add", "And", "Div", "Equal", "Greater", "Less", "Mul", "Or", "Pow", "Sub", "Xor")
	add(dropped("broadcast"), 7, "Gemm")
	add(slopes, 7, "PRelu")
	add(testMode, 7, "BatchNormalization")
	add(testModeDropout, 7, "Dropout")
	add(dropped("output_sequence"), 7, "GRU", "LSTM", "RNN")
	add(stated("the direction is stated, because its default changed", graphops.TextAttribute("direction", "forward")), 3, "GRU")
	add(twoScales, 7, "Upsample")

	add(spatial, 9, "BatchNormalization")
	add(unbatched, 9, "Scan")
	add(scalesInput, 9, "Upsample")
	add(affine, 10, "Affine")
	add(crop, 10, "Crop")
	add(renamed("Slice"), 10, "DynamicSlice")
	add(imageScaler, 10, "ImageScaler")
	add(between("Softplus"), 10, "ParametricSoftplus")
	add(scale, 10, "Scale")
	add(between("Tanh"), 10, "ScaledTanh")
	add(maskCast, 10, "Dropout")
	add(sliced, 10, "Slice")
	add(moved([]string{"k"}, nil), 10, "TopK")
	add(upsampleResize, 10, "Upsample")
	add(moved(nil, []string{"min", "max"}), 11, "Clip")
	add(moved([]string{"pads"}, []string{"value"}), 11, "Pad")
	add(coordinates, 11, "Resize")
	add(renamed("ScatterElements"), 11, "Scatter")
	add(ratioInput, 12, "Dropout")

	add(moved([]string{"axes"}, nil), 13, "ReduceSum", "Squeeze", "Unsqueeze")
	add(moved([]string{"split"}, nil), 13, "Split")
	add(oneAxis, 13, "Hardmax", "LogSoftmax", "Softmax")
	add(halfPixels, 13, "Resize")
	add(trainingMode, 14, "BatchNormalization")
	add(stated("coordinate_transformation_mode is stated, because its default changed", graphops.TextAttribute("coordinate_transformation_mode", "output_half_pixel")), 16, "RoiAlign")
	add(moved([]string{"axes"}, nil), 18, "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSumSquare")
	add(halves, 18, "Split")
	add(axisInput, 20, "DFT")
	add(gridSample, 20, "GridSample")
	add(perChannel, 21, "GroupNormalization")
	return out
})
