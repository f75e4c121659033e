package torch_test

import (
	"strings"
	"testing"

	"lathe/session/torch"
)

// A package that ends Python when it is imported is told, and so are the others.
func TestExamine(t *testing.T) {
	child := standInChild(t, "")
	for name, code := range map[string]string{"onnx": "__version__ = '1.2'", "onnxscript": "import os; os.kill(os.getpid(), 11)", "safetensors": "import no_such_package", "transformers": "raise ValueError('broken')"} {
		writeModule(t, child, name, code)
	}
	h, err := torch.Examine(t.Context(), child.Interpreter, child.Folder, child.TempDir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]torch.Package{
		"torch":        {Version: "0.0"},
		"onnx":         {Version: "1.2"},
		"safetensors":  {Error: "it needs no_such_package, which is not installed"},
		"transformers": {Error: "ValueError: broken"},
	} {
		if got := h.Packages[name]; got != want {
			t.Errorf("%s is %+v, want %+v", name, got, want)
		}
	}
	if got := h.Packages["onnxscript"].Error; !strings.Contains(got, "ends Python, Segmentation fault") {
		t.Errorf("onnxscript: %q", got)
	}
	for _, p := range h.Paths {
		if p.Usable != (p.Name == "compare with PyTorch" || strings.Contains(p.Name, "legacy")) {
			t.Errorf("%+v", p)
		}
	}
}
