//go:build cgo && parity

package sides

import (
	"os"
	"testing"

	"lathe/session/python"
	"lathe/session/sessiontest"
)

// TestValidateTestdataReference compares every model of ONNX's test data with the reference
// evaluator.
func TestValidateTestdataReference(t *testing.T) {
	path := os.Getenv("LATHE_PARITY_PYTHON")
	if path == "" {
		t.Skip("LATHE_PARITY_PYTHON names no Python with the references; run `make parity`")
	}
	env := sessiontest.Env(t)
	env.Python = func() (python.Interpreter, error) {
		return python.Interpreter{Path: path, Environ: os.Environ()}, nil
	}
	judgeTestdata(t, env, true, append(lacking, []exception{
		{folders: "node/test_bernoulli* node/test_training_dropout node/test_training_dropout_default node/test_training_dropout_*mask", said: "drawn at random", why: "drawn at random", some: true},
		{folders: "node/test_cast_FLOAT_to_STRING node/test_castlike_FLOAT_to_STRING*", said: `reference "0.6048455", model "0.60484552"`, why: "the runtime writes numbers with 8 digits, not with as few as identify them"},
		{folders: "node/test_maxunpool_export_with_output_shape", said: "reference 0, model 8", why: "the runtime reads indices as of the output without output_shape"},
		{folders: "node/test_resize_downsample_scales_*_align_corners", said: "outside rtol 1e-05", why: "the runtime aligns the corners of the rounded size, the evaluator those of the scaled one"},
		{folders: "node/test_range_*_expanded", said: "the shapes differ: 2×1 and 2", why: "the evaluator gathers what a Loop scans with an axis too many; onnx expects what the runtime gives"},
		{
			folders: "node/test_dequantizelinear node/test_dequantizelinear_axis node/test_gridsample* node/test_resize_*tf_half_pixel_for_nn node/test_scan_sum node/test_scatter_with*_axis",
			said:    "undecided: there is nothing to compare with", why: "the evaluator does not run the operator in this version", some: true,
		},
	}...))
}
