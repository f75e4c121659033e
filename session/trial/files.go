package trial

import (
	"context"
	"os"
	"path/filepath"
	"strconv"

	"lathe/graphops"
	"lathe/session"
)

// Files writes models with many new weights to temporary files, so that a worker reads the weights
// from there. Such weights would otherwise be sent to the worker from memory at every load.
type Files struct {
	Of *graphops.Model // the original; its weights are stored in the same way

	folder string // "" until a file is written
	count  int
}

// maxUnsaved is the size in bytes of new weights up to which a model is run without writing it to a
// file.
const maxUnsaved = 64 << 20

// Runnable returns the model, or a copy in a file if it has many bytes of new weights.
func (f *Files) Runnable(ctx context.Context, env session.Env, m *graphops.Model, fresh int64) (*graphops.Model, error) {
	if fresh <= maxUnsaved {
		return m, nil
	}
	return f.Written(ctx, env, m)
}

// Written writes a model to a new file and opens it.
func (f *Files) Written(ctx context.Context, env session.Env, m *graphops.Model) (_ *graphops.Model, err error) {
	if f.folder == "" {
		if f.folder, err = os.MkdirTemp("", "lathe-trial-"); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(f.folder, strconv.Itoa(f.count)+".onnx")
	f.count++
	storage := StorageFor(f.Of, m)
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

// Remove removes the written files. If that fails, they stay in the folder for temporary files.
func (f *Files) Remove() {
	if f.folder != "" {
		_ = os.RemoveAll(f.folder)
	}
}

// FileFor returns a file with the model: the opened file if the model is unchanged, or else a new
// one in a folder.
func FileFor(ctx context.Context, env session.Env, m *graphops.Model, folder string) (string, error) {
	if !m.Edited() && m.Path() != "" && m.Path() != "-" && graphops.InPlace(m) == nil {
		return filepath.Abs(m.Path())
	}
	total, err := graphops.SavedSize(m, graphops.SaveOptions{})
	if err != nil {
		return "", err
	}
	storage := StorageFor(m, m)
	storage.Progress = func(n int64) {
		env.Progress(session.Progress{Phase: "writing for Python", Done: n, Total: total, Unit: "B"})
	}
	path := filepath.Join(folder, "model.onnx")
	_, err = graphops.Save(ctx, m, path, storage)
	return path, err
}

// StorageFor stores weights in the same way as the original. If the original has external data,
// weights of at least the smallest external size are external too. If the original has none and the
// model is too large for one file, large weights become external.
func StorageFor(original, m *graphops.Model) graphops.SaveOptions {
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
	if n, err := graphops.SavedSize(m, embedded); err == nil && n > graphops.MaxModelBytes {
		return graphops.SaveOptions{Storage: graphops.StoreExternal, MinExternal: graphops.DefaultMinExternal}
	}
	return graphops.SaveOptions{}
}
