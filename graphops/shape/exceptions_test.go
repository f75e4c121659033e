//go:build parity

package shape_test

// exceptions are the contradictions that a reference is to blame for. In the
// pattern of a value "|" stands for "/".
var exceptions = []*exception{
	{
		corpus: "testdata", model: "/testdata/text_classifier.onnx", value: "|Slice_output_0", referee: "symbolic",
		reason: "64 positions are sliced up to the length of the sequence, and ends are clamped: at 100 there are 64; symbolic_shape_infer takes a symbol never to reach past the axis",
	},
	{
		corpus: "testdata", model: "/testdata/text_classifier.onnx", value: "|positions|Gather_output_0", referee: "symbolic",
		reason: "it looks up the positions of that slice",
	},
	{
		corpus: "shared models", model: "/text/attention_past_state.onnx", value: "20[29]", referee: "symbolic",
		reason: "a mask of 1024 positions is sliced up to a length, and ends are clamped: after 1000 of 1060 steps there are 24; symbolic_shape_infer takes a symbol never to reach past the axis",
	},
	{
		corpus: "shared models", model: "/text/attention_past_state.onnx", value: "21[023]", referee: "symbolic",
		reason: "it is computed with that slice of a mask",
	},
	{
		corpus: "libonnx-testdata", op: "GatherND", model: "/test_gathernd_example_int32_batch_dim1/model.onnx", value: "output", referee: "symbolic",
		reason: "symbolic_shape_infer does not look at batch_dims",
	},
	{
		corpus: "libonnx-testdata", op: "Identity", model: "/test_identity_sequence/model.onnx", value: "y", referee: "symbolic",
		reason: "symbolic_shape_infer takes every value for a tensor, and this is a sequence",
	},
	{
		corpus: "libonnx-testdata", op: "Resize", model: "/test_resize_downsample_sizes_nearest_tf_half_pixel_for_nn/model.onnx", value: "Y", referee: "symbolic",
		reason: "the sizes are fed, and symbolic_shape_infer makes a scalar of what it does not know",
	},
	{
		corpus: "libonnx-testdata", op: "SoftmaxCrossEntropyLoss", value: "z", referee: "symbolic",
		reason: "symbolic_shape_infer takes every loss for a scalar, and with reduction=none there is one for each label",
	},
	{
		corpus: "libonnx-testdata", op: "Squeeze", model: "/test_squeeze_negative_axes/model.onnx", value: "y", referee: "symbolic",
		reason: "the axes are fed, and symbolic_shape_infer squeezes every axis of size 1 where it does not know which",
	},
	{
		model: "/ch_PP-OCRv4_det_infer.onnx", value: "*", referee: "symbolic",
		reason: "what a Resize doubles is added to what was halved before, rounded up, which fits where the image is a multiple of 32; symbolic_shape_infer with auto_merge then says of the doubled sizes, too, that they are the others, and at 100 they are 8 and not 7",
	},
	{
		op: "ArrayFeatureExtractor", value: "*", referee: "symbolic",
		reason: "symbolic_shape_infer appends the shape of the indices; the runtime makes one axis of them, and a row of what it takes from a vector",
	},
	{
		op: "Cast", model: "/KNeighborsClassifier_0.onnx", value: "blab_output0", referee: "symbolic",
		reason: "it is computed from what an ArrayFeatureExtractor takes from a vector, which is a row",
	},
	{
		op: "Cast", model: "/RadiusNeighborsClassifier_1.onnx", value: "blab_output0", referee: "symbolic",
		reason: "it is computed from what an ArrayFeatureExtractor takes from a vector, which is a row",
	},
	{
		op: "LabelEncoder", model: "/OrdinalEncoder_0.onnx", value: "label_encoder*", referee: "symbolic",
		reason: "it is computed from what an ArrayFeatureExtractor takes from rows, which are rows of one element",
	},
}
