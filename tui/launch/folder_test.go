//go:build linux

package launch

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFolder opens a folder, a model of it, and comes back.
func TestFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the program")
	}
	folder := t.TempDir()
	for from, to := range map[string]string{"digits.onnx": "encoder_model.onnx", "mlp_dynamo.onnx": "decoder_model.onnx"} {
		content, err := os.ReadFile(filepath.Join("testdata", from))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, to), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	j := travel(t, folder, ".").sees("2 models", "encoder_model.onnx", "from the caller")
	j.press("down").sees("decoder_model.onnx").press("enter").sees("q quit")
	j.press("q").sees("2 models", "decoder_model.onnx").press("esc")
}
