package torch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Made is the result of a call of a module.
type Made struct {
	Path  string `json:"path"` // as in named_modules; empty for the model itself
	Class string `json:"class"`
	Call  int    `json:"call"` // number of the call of this module, from 0
	// Passes is set if it returned its argument.
	Passes bool `json:"passes"`
	// Results are the tensors in its result that can be read, with their paths.
	Results []Leaf `json:"results"`
	// Trained is set if it has parameters.
	Trained bool `json:"trained"`
	// Given are the tensors in its arguments, as they were before the call.
	Given []Leaf `json:"given"`
}

// Tensors reads the tensors of a module's result, with complex ones as real and imaginary parts.
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

// Slow returns the model with the fast path of nn.TransformerEncoder switched off, since that path
// gives other values at masked positions. It returns nil if the model has no such module.
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

// Modules calls the model as Run does, and calls use with the results of every module in the order
// in which they finished. The results can be read only until use returns.
func (b *Bridge) Modules(ctx context.Context, in graphops.Feeds, use func([]Made) error) error {
	b.cases++
	name := fmt.Sprint("modules_", b.cases)
	folder := filepath.Join(b.of.TempDir, name)
	defer func() { _ = os.RemoveAll(folder) }() // it is in the system's folder for temporary files
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
