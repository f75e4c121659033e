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
	j.press("down").sees("decoder_model.onnx").press("enter").sees("q back to the list")
	j.press("q").sees("2 models", "decoder_model.onnx")
	j.press("?").sees("leave with exit code 130").press("esc").sees("not known where")
	j.press("enter").sees("q back to the list").press("esc").sees("2 models", "not known where")
	j.press("enter").sees("q back to the list").press("j", "j", "space", "p").sees("prune: ok")
	j.press("esc").sees("back to the list of models?", "leave without saving").press("y").sees("2 models").press("esc")
}
