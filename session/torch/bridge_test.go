package torch_test

import (
	"os"
	"path/filepath"
	"testing"

	"lathe/session/python"
	"lathe/session/torch"
)

func child(t *testing.T) torch.Child {
	t.Helper()
	path := os.Getenv("LATHE_TORCH_PYTHON")
	if path == "" {
		t.Skip("LATHE_TORCH_PYTHON names no Python with PyTorch; run `make torch`")
	}
	folder := t.TempDir()
	return torch.Child{Interpreter: python.Interpreter{Path: path, Environ: os.Environ()}, Folder: folder, TempDir: t.TempDir(), Phase: func(p string) { t.Log(p) }, Event: func(e torch.Event) { t.Log(e) }}
}

func TestOpen(t *testing.T) {
	c := child(t)
	source := `
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 3)
        self.drop = torch.nn.Dropout()
    def forward(self, x, batch, scale=2.0, flag=True):
        h = self.drop(self.fc(x + batch["a"])) * scale
        if flag: h = h + batch["l"][0]
        return {"logits": h, "pair": (h + 1, h * 2)}
    def example_arguments(self):
        return (torch.randn(2, 4),), {"batch": {"a": torch.randn(2, 4), "l": [torch.randn(2, 3)]}, "scale": 3.0}
    def dynamic_shapes(self):
        return {"x": {0: "batch"}, "batch": {"a": {0: "batch"}, "l": [{0: "batch"}]}, "scale": None}
`
	if err := os.WriteFile(filepath.Join(c.Folder, "net.py"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, strategy := range torch.Strategies {
		b, err := torch.Open(t.Context(), c, torch.Opening{Target: "net.py:Net"})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		t.Logf("%+v", b.Description)
		out, err := b.Export(t.Context(), torch.Export{Strategy: strategy, Path: filepath.Join(c.TempDir, string(strategy)+".onnx"), Artifacts: filepath.Join(c.TempDir, "a")})
		if err != nil {
			t.Errorf("%s: %v", strategy, err)
		}
		t.Logf("%+v", out)
	}
}
