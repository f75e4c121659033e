//go:build parity

package shape_test

// exceptions are the contradictions that a reference is to blame for. In the
// pattern of a value "|" stands for "/".
var exceptions = []*exception{
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
		corpus: "libonnx-testdata", op: "Squeeze", model: "/test_squeeze_negative_axes/model.onnx", value: "y", referee: "symbolic",
		reason: "the axes are fed, and symbolic_shape_infer squeezes every axis of size 1 where it does not know which",
	},
}
