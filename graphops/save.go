package graphops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"lathe/graphops/durable"
)

// WriteOptions say how a file is written.
type WriteOptions struct {
	// Overwrite allows replacing an existing file. Otherwise an existing file is an error.
	Overwrite bool
	// Progress, if set, is called with the number of bytes written so far.
	Progress func(written int64)
}

func (o WriteOptions) durable() durable.Options {
	return durable.Options{Overwrite: o.Overwrite, Progress: o.Progress, IsOrphan: isOrphan}
}

// WriteFile writes a file whole or not at all (see [durable.WriteFile]). It first removes what
// killed processes left in the folder, such as data files that no model needs.
func WriteFile(ctx context.Context, path string, o WriteOptions, write func(w io.Writer) error) error {
	return durable.WriteFile(ctx, path, o.durable(), write)
}

// Storage says where a saved model's weights are stored.
type Storage int

// The ways to store weights. An external weight is in a data file, and an embedded one is in the
// model file.
const (
	// StoreAsIs stores a tensor in the way in which it is stored now. External tensors go to a new
	// data file beside the model.
	StoreAsIs Storage = iota
	// StoreEmbedded stores all tensors in the model file.
	StoreEmbedded
	// StoreExternal stores every initializer of at least MinExternal bytes in a data file beside
	// the model.
	StoreExternal
)

// DefaultMinExternal is the default for the size in bytes from which StoreExternal stores a tensor
// in a data file. Smaller tensors, such as shapes, stay in the model file, because shape inference
// needs them there.
const DefaultMinExternal = 1024

// dataAlignment is the alignment of tensors in a data file. It is the page size, as the ONNX
// documentation recommends, so that programs can map the tensors into memory.
const dataAlignment = 4096

// SaveOptions say how a model is saved.
type SaveOptions struct {
	WriteOptions
	Storage     Storage
	MinExternal int64
	// Split is the maximum size of a data file in bytes. If a tensor would exceed it, a new data
	// file is started. A tensor that is larger than Split has a file of its own. 0 stores all data
	// in one file.
	Split int64
}

// Saved says what was written.
type Saved struct {
	Path    string
	Bytes   int64 // of the model file
	Data    []SavedData
	Removed []string // data files of the replaced model
	Kept    []KeptData
}

// KeptData is a data file of the replaced model that was not removed, because another model uses
// it or may use it.
type KeptData struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// SavedData is a data file that was written.
type SavedData struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

// Save writes a model. Weights are copied without being read into memory as a whole. Like
// WriteFile, it guarantees that at any time path has either the old model with its data or the new
// model with its data. It never writes to a file that the model is read from.
//
// The first data file is named after the model with the suffix ".data"; "-2", "-3" and so on are
// appended for further ones. If such a name is taken and Overwrite is set, the next unused name is
// used. Files with compiled parts of the model (see Compiled) are copied to the folder, too, unless they
// are there. When a model is replaced, its data files with such names, and files with compiled parts whose names begin with its own, are removed, unless another model
// uses them. No other files are removed. If path is a data file of another model, Save returns an
// error. If the process is killed, a data file without a model may remain. The next write into the
// folder removes it, except on file systems without hard links.
func Save(ctx context.Context, m *Model, path string, o SaveOptions) (Saved, error) {
	saved := Saved{Path: path}
	t, err := durable.FollowTarget(path)
	if err != nil {
		return saved, err
	}
	if err := t.Permitted(ctx); err != nil {
		return saved, err
	}
	durable.RemoveStale(t.Folder(), isOrphan)
	l := dataLayout{locate: newDataNames(t, o.Overwrite).next}
	if err := l.place(m, o); err != nil {
		return saved, fmt.Errorf("%s: %w", path, err)
	}
	if err := l.fits(); err != nil {
		return saved, fmt.Errorf("%s: %w", path, err)
	}
	if err := errors.Join(RefuseSources(m, path), refuseBlobs(m, path)); err != nil {
		return saved, err
	}
	if err := t.Look(o.Overwrite); err != nil {
		return saved, err
	}
	if err := refuseUsed(t); err != nil {
		return saved, err
	}
	blobs, err := blobsFor(ctx, m, t)
	if err != nil {
		return saved, fmt.Errorf("%s: %w", path, err)
	}
	l.relocate(blobs)
	main, data := l.parts()
	for _, c := range blobs.copies {
		data = append(data, c.part())
	}
	g, err := durable.NewGroup(ctx, t, main, data, o.durable())
	if err != nil {
		return saved, err
	}
	defer g.Discard()
	if err := g.Write(); err != nil {
		return saved, err
	}
	if err := unchangedSources(m); err != nil {
		return saved, err
	}
	saved.Bytes = l.modelBytes
	paths := blobs.reused
	for _, c := range blobs.copies {
		path := filepath.Join(t.Folder(), c.name)
		paths = append(paths, path)
		saved.Data = append(saved.Data, SavedData{path, c.bytes})
	}
	for _, f := range l.files {
		path := filepath.Join(t.Folder(), f.location)
		paths = append(paths, path)
		saved.Data = append(saved.Data, SavedData{path, f.size})
	}
	saved.Removed, err = g.Place(func() (gone []string) {
		gone, saved.Kept = replacedData(t.Path, paths, m)
		return gone
	})
	return saved, err
}

// Write writes a model to a stream as one file, with external data embedded.
func Write(w io.Writer, m *Model) error {
	var l dataLayout
	if err := l.place(m, SaveOptions{Storage: StoreEmbedded}); err != nil {
		return err
	}
	if err := l.fits(); err != nil {
		return err
	}
	e := encoder{w: w}
	if e.model(l.model); e.err != nil {
		return e.err
	}
	return unchangedSources(m)
}

// SavedSize returns the total size in bytes of the files that Save would write. It leaves out the
// length of the data file's name, which the model file repeats for each tensor, because the name
// depends on the path.
func SavedSize(m *Model, o SaveOptions) (int64, error) {
	plan, err := PlanSave(m, o)
	return plan.Bytes(), err
}

// SavePlan has the sizes of the files that Save would write, computed as in SavedSize.
type SavePlan struct {
	ModelBytes int64
	DataBytes  []int64 // size of each data file
	// Larger are the names of the tensors that are larger than SaveOptions.Split.
	Larger []string
}

// Bytes returns the total size of all files.
func (p SavePlan) Bytes() int64 {
	n := p.ModelBytes
	for _, b := range p.DataBytes {
		n += b
	}
	return n
}

// PlanSave computes what Save would write.
func PlanSave(m *Model, o SaveOptions) (SavePlan, error) {
	var l dataLayout
	err := l.place(m, o)
	plan := SavePlan{ModelBytes: l.modelBytes, Larger: l.larger}
	for _, f := range l.files {
		plan.DataBytes = append(plan.DataBytes, f.size)
	}
	return plan, err
}

// sourcesOf returns the files that a model is read from.
func sourcesOf(m *Model) []*source {
	var out []*source
	for _, o := range m.origins() {
		if o.src != nil {
			out = append(out, o.src)
		}
		if o.files == nil {
			continue
		}
		o.files.mu.Lock()
		for _, s := range o.files.open {
			out = append(out, s)
		}
		o.files.mu.Unlock()
	}
	return out
}

// StoredFiles returns the files that a model is read from: its own, and those with external data that
// can be found.
func StoredFiles(m *Model) []StoredFile {
	for t := range m.ExternalTensors() {
		_, _ = t.Data() // opens the file; an error is reported by whoever needs the elements
	}
	var out []StoredFile
	for _, s := range sourcesOf(m) {
		if f := s.stored(); f.Real != "" && !slices.ContainsFunc(out, func(g StoredFile) bool { return g.Real == f.Real }) {
			out = append(out, f)
		}
	}
	return out
}

func unchangedSources(m *Model) error {
	var errs []error
	for _, s := range sourcesOf(m) {
		errs = append(errs, s.unchanged())
	}
	return errors.Join(errs...)
}

// RefuseSources returns an error if one of the paths is a file that the model is read from, even
// under another name, because it must not be overwritten. This includes all data files to which the
// opened model file refers, even if an edit removed the tensors in them.
func RefuseSources(m *Model, paths ...string) error {
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			continue
		}
		for _, o := range m.origins() {
			if o.files != nil {
				o.files.openNamed()
			}
		}
		for _, s := range sourcesOf(m) {
			if s.file != nil && os.SameFile(s.seen, info) {
				return fmt.Errorf("%s: is the file that the model is read from; choose another name", p)
			}
		}
	}
	return nil
}
