package torch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Made is what a call of a module inside the model gave.
type Made struct {
	Path   string // as named_modules has it
	Class  string
	Call   int // of this module, from 0
	Result Leaf
}

// Tensor reads the result.
func (m Made) Tensor() (tensor.Tensor, error) { return m.Result.read() }

// Modules calls the model as Run does, and has use see what every module inside of it gave, in
// the order in which they were done, those that give one tensor. Results can be read until use
// returns.
func (b *Bridge) Modules(ctx context.Context, in graphops.Feeds, use func([]Made) error) error {
	b.cases++
	name := fmt.Sprint("modules_", b.cases)
	folder := filepath.Join(b.of.TempDir, name)
	defer func() { _ = os.RemoveAll(folder) }() // a folder of the system's for temporary files
	feeds, err := b.write(ctx, in, name)
	if err != nil {
		return err
	}
	var got struct {
		Modules []struct {
			Leaf
			Class string `json:"class"`
			Call  int    `json:"call"`
		} `json:"modules"`
	}
	if err := b.ask(ctx, runQuestion{"modules", folder, feeds, orEmpty(b.dynamic)}, &got); err != nil {
		return err
	}
	made := make([]Made, len(got.Modules))
	for i, m := range got.Modules {
		m.File = filepath.Join(folder, filepath.Base(m.File))
		made[i] = Made{m.Path, m.Class, m.Call, m.Leaf}
	}
	return use(made)
}
