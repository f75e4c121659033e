package torch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"lathe/graphops"
)

// Restore returns a model that was exported from this one with its initializers as they were when
// the model was created. This is needed because an exporter that traces runs forward, and stores
// the buffers as they are afterwards.
func (b *Bridge) Restore(ctx context.Context, m *graphops.Model) (*graphops.Model, error) {
	written := map[string]bool{}
	for _, name := range b.written {
		written[name] = true
	}
	var names []string
	for _, t := range m.Graph().Initializers() {
		if written[t.Name()] {
			names = append(names, t.Name())
		}
	}
	if len(names) == 0 {
		return m, nil
	}
	made, err := b.held(ctx, names)
	if err != nil {
		return nil, err
	}
	return m.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		if p.Kind != graphops.MainGraph {
			return false
		}
		for i, t := range e.Initializers {
			if own, ok := made[t.Name()]; ok && own.Tensor.DType == t.DType() && slices.Equal(own.Tensor.Shape, t.Dims()) {
				e.Initializers[i] = graphops.NewTensorOf(t.Name(), own.Tensor)
			}
		}
		return true
	}), nil
}

// held returns parameters and buffers as they were when the model was created.
func (b *Bridge) held(ctx context.Context, names []string) (graphops.Feeds, error) {
	folder := filepath.Join(b.of.TempDir, "held")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // it is in the system's folder for temporary files
	var got struct {
		Held []Leaf `json:"held"`
	}
	q := struct {
		Do     string   `json:"do"`
		Folder string   `json:"folder"`
		Names  []string `json:"names"`
	}{"held", folder, names}
	if err := b.ask(ctx, q, &got); err != nil {
		return nil, err
	}
	out := graphops.Feeds{}
	for _, l := range got.Held {
		l.File = filepath.Join(folder, filepath.Base(l.File))
		t, err := l.read()
		if err != nil {
			return nil, fmt.Errorf("a parameter or buffer of the PyTorch model: %w", err)
		}
		out[l.Path] = graphops.TensorValue(t)
	}
	return out, nil
}
