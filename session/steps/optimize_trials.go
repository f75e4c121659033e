package steps

import (
	"context"
	"os"
	"path/filepath"
	"strconv"

	"lathe/graphops"
	"lathe/session"
)

// trials are the models that a proof runs.
type trials struct {
	of     *graphops.Model
	made   map[*graphops.Model]*product // by what is run
	folder string                       // "" until it is needed
}

// maxUnsaved is how many bytes of made weights a model may have that runs without being
// written: they travel to the worker through memory.
const maxUnsaved = 64 << 20

// subject is what is run for a product: its model, or a copy in a file of one that was
// made with many bytes.
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

// runnable is a model, or a copy in a file of one that was made with many bytes of weights.
func (t *trials) runnable(ctx context.Context, env session.Env, m *graphops.Model, fresh int64) (*graphops.Model, error) {
	if fresh <= maxUnsaved {
		return m, nil
	}
	return t.written(ctx, env, m)
}

// written is a copy of a model in a file of its own.
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

// remove removes what was written. What cannot be removed lies in the folder for
// temporary files.
func (t *trials) remove() {
	if t.folder != "" {
		_ = os.RemoveAll(t.folder)
	}
}

// maxModelFile is what protobuf allows a message, and so a file without external data.
const maxModelFile = 1<<31 - 1

// storageFor keeps weights where the original keeps its own: those that were made are
// outside of the file if they are as large as one that is. A model that no file can hold
// as a whole gets a data file.
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
