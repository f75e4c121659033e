package graphops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// Storage says where a saved model's weights go.
type Storage int

// The ways to store weights.
const (
	// StoreAsIs keeps external tensors external, in a new data file beside the
	// model, and embedded ones embedded.
	StoreAsIs Storage = iota
	// StoreEmbedded puts everything into one file.
	StoreEmbedded
	// StoreExternal puts every initializer from MinExternal bytes on into a data
	// file beside the model.
	StoreExternal
)

// DefaultMinExternal is the size from which on StoreExternal moves a tensor, in
// bytes. Small ones, shapes above all, stay inside: shape inference needs them.
const DefaultMinExternal = 1024

// dataAlignment is the offset that every tensor in a data file starts at a
// multiple of, so that a reader can map it (the ONNX documents name the page
// size).
const dataAlignment = 4096

// SaveOptions say how a model is saved.
type SaveOptions struct {
	WriteOptions
	Storage     Storage
	MinExternal int64
	// Split begins another data file where one would grow past so many bytes; 0 puts all
	// data into one. A tensor that is larger has a file of its own.
	Split int64
}

// Saved tells what was written.
type Saved struct {
	Path    string
	Bytes   int64 // of the model file
	Data    []SavedData
	Removed []string // data files of the model that was replaced
	Kept    []KeptData
}

// KeptData is a data file of the model that was replaced that is still there, because
// another model uses it or may use it.
type KeptData struct {
	Path string
	Why  string
}

// SavedData is a data file that was written.
type SavedData struct {
	Path  string
	Bytes int64
}

// Save writes a model, streaming what it does not hold in memory, with the
// promises of WriteFile: at every moment path holds the old model with its data
// or the new one with its own. The target is never one of the files that the
// model is read from.
//
// The data file is called as the model with ".data" behind, further ones with "-2" and
// on behind that. Where Overwrite is set and a name is taken, the new data goes to the
// next free one, and the data files of the replaced model that are called so are
// removed with it, unless another model uses them; nothing else is. A path at which
// another model has its data is refused. A data file that a killed process left
// without a model is removed by the next write into the folder; on file systems
// without hard links it stays.
func Save(ctx context.Context, m *Model, path string, o SaveOptions) (Saved, error) {
	saved := Saved{Path: path}
	t, err := followTarget(path)
	if err != nil {
		return saved, err
	}
	removeStale(t.folder())
	l := dataLayout{locate: newDataNames(t, o.Overwrite).next}
	if err := l.place(m, o); err != nil {
		return saved, fmt.Errorf("%s: %w", path, err)
	}
	if err := l.fits(); err != nil {
		return saved, fmt.Errorf("%s: %w", path, err)
	}
	if err := RefuseSources(m, path); err != nil {
		return saved, err
	}
	if err := t.look(o.Overwrite); err != nil {
		return saved, err
	}
	if err := t.refuseUsed(); err != nil {
		return saved, err
	}
	p, err := createPair(ctx, t, &l, o.WriteOptions)
	if err != nil {
		return saved, err
	}
	defer p.discard()
	if err := p.write(&l); err != nil {
		return saved, err
	}
	if err := unchangedSources(m); err != nil {
		return saved, err
	}
	saved.Bytes = l.modelBytes
	for i, d := range p.data {
		saved.Data = append(saved.Data, SavedData{d.target.path, l.files[i].size})
	}
	saved.Removed, saved.Kept, err = p.place(m)
	return saved, err
}

// Write writes a model to a stream as one file; external data is embedded.
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

// SavedSize is what Save would write, in bytes: the model file and the data
// file together. The name of the data file, which the model repeats for each
// tensor in it, is not counted, because it follows from a path.
func SavedSize(m *Model, o SaveOptions) (int64, error) {
	plan, err := PlanSave(m, o)
	return plan.Bytes(), err
}

// SavePlan is what Save would write, as SavedSize counts.
type SavePlan struct {
	ModelBytes int64
	DataBytes  []int64 // of each data file
	// Larger are tensors that are larger than SaveOptions.Split by themselves.
	Larger []string
}

// Bytes is the size of all files.
func (p SavePlan) Bytes() int64 {
	n := p.ModelBytes
	for _, b := range p.DataBytes {
		n += b
	}
	return n
}

// PlanSave lays a model out and writes nothing.
func PlanSave(m *Model, o SaveOptions) (SavePlan, error) {
	var l dataLayout
	err := l.place(m, o)
	plan := SavePlan{ModelBytes: l.modelBytes, Larger: l.larger}
	for _, f := range l.files {
		plan.DataBytes = append(plan.DataBytes, f.size)
	}
	return plan, err
}

// sourcesOf are the files that a model is read from.
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

func unchangedSources(m *Model) error {
	var errs []error
	for _, s := range sourcesOf(m) {
		errs = append(errs, s.unchanged())
	}
	return errors.Join(errs...)
}

// RefuseSources is an error where one of the paths, whatever name it is, leads
// to a file that the model is read from: an input is never an output. That goes
// for every data file that the model file names, also where the model has been cut
// and needs it no more.
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
