package torch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Made is what a call of a module gave.
type Made struct {
	Path  string `json:"path"` // as named_modules has it, "" for the model itself
	Class string `json:"class"`
	Call  int    `json:"call"` // of this module, from 0
	// Passes is true if it returned what it was given.
	Passes bool `json:"passes"`
	// Results are the tensors among what it gave that can be read, by their paths there.
	Results []Leaf `json:"results"`
	// Trained says that it has parameters.
	Trained bool `json:"trained"`
	// Given are those among what it was called with, as they were before.
	Given []Leaf `json:"given"`
}

// Tensors reads results, each as exporters have it in a model.
func Tensors(list []Leaf) ([]tensor.Tensor, error) {
	var out []tensor.Tensor
	for _, l := range list {
		t, err := l.read()
		if err != nil {
			return nil, err
		}
		out = append(out, AsReal(graphops.TensorValue(t)).Tensor)
	}
	return out, nil
}

// Slow is the model with the fast path of nn.TransformerEncoder switched off, which gives other
// values at masked places; nil where the model has no such module.
func (b *Bridge) Slow(ctx context.Context) (*Bridge, error) {
	out, err := b.Fork(ctx)
	if err != nil {
		return nil, err
	}
	var got struct {
		Switched bool `json:"switched"`
	}
	if err := out.tell(ctx, runQuestion{Do: "slow"}, &got); err != nil || !got.Switched {
		out.Close()
		return nil, err
	}
	return out, nil
}

// Modules calls the model as Run does, and has use see what every module gave, in the order in
// which they were done. Results can be read until use returns.
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
		Modules []Made `json:"modules"`
	}
	if err := b.ask(ctx, runQuestion{"modules", folder, feeds, orEmpty(b.dynamic)}, &got); err != nil {
		return err
	}
	for _, m := range got.Modules {
		for _, list := range [][]Leaf{m.Results, m.Given} {
			for i, l := range list {
				list[i].File = filepath.Join(folder, filepath.Base(l.File))
			}
		}
	}
	return use(got.Modules)
}
