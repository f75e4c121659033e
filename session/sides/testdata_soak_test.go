//go:build cgo && soak

package sides

import (
	"testing"

	"lathe/session/sessiontest"
)

// TestValidateTestdata compares every model of ONNX's test data with its expected outputs.
func TestValidateTestdata(t *testing.T) {
	judgeTestdata(t, sessiontest.Env(t), false, append(lacking, []exception{
		{folders: "node/test_bernoulli*", said: "undecided: no output can be judged; output \"y\" in case \"test_data_set_0\": drawn at random", why: "drawn at random"},
		{folders: "node/test_training_dropout node/test_training_dropout_default node/test_training_dropout_*mask", said: "drawn at random, by Dropout", why: "drawn at random, in training", some: true},
		{folders: "node/test_*window*", said: "outside rtol 1e-05 atol 1e-06", why: "onnx computed what it expects of windows with 3.1415 for pi", some: true},
		{folders: "node/test_cast_FLOAT_to_STRING node/test_castlike_FLOAT_to_STRING*", said: `expected "0.6048455", model "0.60484552"`, why: "the runtime writes numbers with 8 digits, not with as few as identify them"},
		{folders: "node/test_gridsample_bicubic node/test_roialign_aligned_*", said: "outside rtol 1e-05", why: "onnx wrote down what it expects with four digits"},
		{folders: "node/test_maxunpool_export_with_output_shape", said: "expected 0, model 8", why: "the runtime reads indices as of the output without output_shape"},
		{folders: "node/test_resize_downsample_scales_*_align_corners", said: "outside rtol 1e-05", why: "the runtime aligns the corners of the rounded size, onnx those of the scaled one"},
	}...))
}
