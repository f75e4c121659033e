//go:build cgo && soak

package modes

import "testing"

// TestLargerEqualCommands does what TestEqualsCommands does, with models that take longer.
func TestLargerEqualCommands(t *testing.T) {
	checkCommands(t, []modelAndData{
		{"testdata/text_classifier.onnx", "text_test.npz"},
		{"testdata/vit_batch1.onnx", ""},
		{"testdata/lm_batch1.onnx", ""},
		{"../shared/models/control/residual_block.onnx", ""},
		{"../shared/models/vision/squeezenet.onnx", ""},
		{"../shared/models/vision/ultraface-rfb-320.onnx", ""},
	})
}
