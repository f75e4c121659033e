package steps

import (
	"context"
	"os"
	"path/filepath"
	"strconv"

	"lathe/graphops"
	"lathe/session"
)

// trials are the models that a proof of an optimization runs. Models with many new weights are
// written to temporary files first.
type trials struct {
	of     *graphops.Model
	made   map[*graphops.Model]*product // by the model that is run
	folder string                       // "" until a file is written
}

// maxUnsaved is the size in bytes of new weights up to which a model is run without writing it to a
// file. The weights are then sent to the worker from memory.
const maxUnsaved = 64 << 20

// subject returns the model to run for a product: its model, or a copy in a file if that has many
// bytes of new weights.
func (t *trials) subject(ctx context.Context, env session.Env, p *product) (*graphops.Model, error) {
	var fresh int64
	for _, taken := range p.taken {
		fresh += taken.FreshBytes
	}
	m, err := t.runnable(ctx, env, p.model, fresh)
	if err != nil {
		return nil, err
	}
	t.made[m] = p
	return m, nil
}

// runnable returns the model, or a copy in a file if it has many bytes of new weights.
func (t *trials) runnable(ctx context.Context, env session.Env, m *graphops.Model, fresh int64) (*graphops.Model, error) {
	if fresh <= maxUnsaved {
		return m, nil
	}
	return t.written(ctx, env, m)
}

// written writes a model to a new file and opens it.
func (t *trials) written(ctx context.Context, env session.Env, m *graphops.Model) (_ *graphops.Model, err error) {
	if t.folder == "" {
		if t.folder, err = os.MkdirTemp("", "lathe-trial-"); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(t.folder, strconv.Itoa(len(t.made))+".onnx")
	storage := storageFor(t.of, m)
	total, err := graphops.SavedSize(m, storage)
	if err != nil {
		return nil, err
	}
	storage.Progress = func(n int64) {
		env.Progress(session.Progress{Phase: "writing for the proof", Done: n, Total: total, Unit: "B"})
	}
	if _, err := graphops.Save(ctx, m, path, storage); err != nil {
		return nil, err
	}
	return graphops.Open(path, graphops.OpenOptions{})
}

// remove removes the written files. If that fails, they stay in the folder for temporary files.
func (t *trials) remove() {
	if t.folder != "" {
		_ = os.RemoveAll(t.folder)
	}
}

// maxModelFile is the largest protobuf message, and so the largest file without external data.
const maxModelFile = 1<<31 - 1

// storageFor stores weights in the same way as the original. If the original has external data,
// weights of at least the smallest external size are external too. If the original has none and the
// model is too large for one file, large weights become external.
func storageFor(original, m *graphops.Model) graphops.SaveOptions {
	least := int64(-1)
	for t := range original.ExternalTensors() {
		if n, err := t.ByteLen(); err == nil && (least < 0 || n < least) {
			least = n
		}
	}
	if least >= 0 {
		return graphops.SaveOptions{Storage: graphops.StoreExternal, MinExternal: max(least, 1)}
	}
	embedded := graphops.SaveOptions{Storage: graphops.StoreEmbedded}
	if n, err := graphops.SavedSize(m, embedded); err == nil && n > maxModelFile {
		return graphops.SaveOptions{Storage: graphops.StoreExternal, MinExternal: graphops.DefaultMinExternal}
	}
	return graphops.SaveOptions{}
}
