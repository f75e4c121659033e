package torch

import (
	"context"
	"path/filepath"

	"lathe/session/python"
)

// Unpickled is what was read of a file that torch.save wrote.
type Unpickled struct {
	Path    string   `json:"-"`       // of the tensors, as safetensors
	Version string   `json:"version"` // of torch
	Key     string   `json:"key"`     // of the dictionary in a checkpoint that holds several things
	Skipped []string `json:"skipped"` // of types that no model has
}

// Unpickle has PyTorch read the tensors of a .pt or .pth and nothing else (weights_only), and
// write them into the folder temp, which is the caller's to remove.
func Unpickle(ctx context.Context, i python.Interpreter, path, temp string, phase func(string)) (Unpickled, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Unpickled{}, err
	}
	u := Unpickled{Path: filepath.Join(temp, "weights.safetensors")}
	err = i.Run(ctx, python.Script{
		Source: script("weights"), Needed: "reading a .pt", Ask: map[string]string{"file": abs, "to": u.Path}, TempDir: temp, Phase: phase,
	}, &u)
	return u, err
}
