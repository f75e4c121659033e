package torch

import (
	"context"
	"path/filepath"

	"lathe/session/python"
)

// Unpickled is the result of reading a file that torch.save wrote.
type Unpickled struct {
	Path    string   `json:"-"`       // file with the tensors, in safetensors format
	Version string   `json:"version"` // of torch
	Key     string   `json:"key"`     // key of the dictionary, in a checkpoint with several objects
	Skipped []string `json:"skipped"` // names of tensors whose type or layout a model cannot have
}

// Unpickle makes PyTorch read only the tensors of a .pt or .pth file (weights_only) and write them
// into the folder temp, which the caller removes.
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
