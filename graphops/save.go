package graphops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"lathe/graphops/tensor"
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
}

// Saved tells what was written.
type Saved struct {
	Path      string
	Bytes     int64  // of the model file
	DataPath  string // "" without external data
	DataBytes int64
}

// Save writes a model, streaming what it does not hold in memory. The target
// is never one of the files that the model is read from.
func Save(ctx context.Context, m *Model, path string, o SaveOptions) (Saved, error) {
	saved := Saved{Path: path}
	layout := &dataLayout{location: filepath.Base(path) + ".data"}
	placed, err := layout.place(m, o)
	if err != nil {
		return saved, fmt.Errorf("%s: %w", path, err)
	}
	if err := checkSize(placed); err != nil {
		return saved, fmt.Errorf("%s: %w", path, err)
	}
	if err := RefuseSources(m, path, path+".data"); err != nil {
		return saved, err
	}
	files, err := createOutputs(ctx, path, layout, o.WriteOptions)
	for _, f := range files {
		defer f.discard()
	}
	if err != nil {
		return saved, err
	}
	if len(files) > 1 {
		if err := layout.write(files[1]); err != nil {
			return saved, fmt.Errorf("%s: %w", files[1].path, err)
		}
		saved.DataPath, saved.DataBytes = files[1].path, layout.size
	}
	e := encoder{w: files[0]}
	if e.model(placed); e.err != nil {
		return saved, fmt.Errorf("%s: %w", path, e.err)
	}
	saved.Bytes = e.n
	if err := unchangedSources(m); err != nil {
		return saved, err
	}
	return saved, commitAll(files...) // the data before the model that names it
}

// createOutputs opens the model's file and, if it is needed, the data file.
func createOutputs(ctx context.Context, path string, l *dataLayout, o WriteOptions) ([]*output, error) {
	paths := []string{path}
	if len(l.tensors) > 0 {
		paths = append(paths, path+".data")
	}
	var files []*output
	done := int64(0)
	for _, p := range paths {
		each := o
		if o.Progress != nil {
			before := int64(0)
			each.Progress = func(n int64) {
				done += n - before
				before = n
				o.Progress(done)
			}
		}
		f, err := createOutput(ctx, p, each)
		if err != nil {
			return files, err
		}
		files = append(files, f)
	}
	return files, nil
}

// Write writes a model to a stream as one file; external data is embedded.
func Write(w io.Writer, m *Model) error {
	placed, err := (&dataLayout{}).place(m, SaveOptions{Storage: StoreEmbedded})
	if err == nil {
		err = checkSize(placed)
	}
	if err != nil {
		return err
	}
	e := encoder{w: w}
	if e.model(placed); e.err != nil {
		return e.err
	}
	return unchangedSources(m)
}

// SavedSize is what Save would write, in bytes: the model file and the data
// file together. The name of the data file, which the model repeats for each
// tensor in it, is not counted, because it follows from a path.
func SavedSize(m *Model, o SaveOptions) (int64, error) {
	layout := &dataLayout{}
	placed, err := layout.place(m, o)
	if err != nil {
		return 0, err
	}
	return encodedSize(placed) + layout.size, nil
}

func checkSize(m *Model) error {
	if n := encodedSize(m); n > maxModelBytes {
		return fmt.Errorf("the model file would take %d bytes, protobuf allows %d; store weights outside with --external-data", n, maxModelBytes)
	}
	return nil
}

// dataLayout decides which tensors go into the data file and where.
type dataLayout struct {
	location string
	tensors  []Payload
	offsets  []int64
	size     int64
}

// place is the model with every tensor stored as the options say. What is no
// initializer moves only if it was external already.
func (l *dataLayout) place(m *Model, o SaveOptions) (*Model, error) {
	return mapTensors(m, func(t *Tensor, initializer bool) (*Tensor, error) {
		outside, err := l.goesOutside(t, initializer, o)
		if err != nil || !outside && !t.IsExternal() {
			return t, err
		}
		data, err := t.Data()
		if err != nil {
			return nil, err
		}
		if !outside {
			return t.inline(data), nil
		}
		offset := (l.size + dataAlignment - 1) / dataAlignment * dataAlignment
		l.tensors, l.offsets = append(l.tensors, data), append(l.offsets, offset)
		l.size = offset + data.Len()
		return t.outside(l.location, offset, data.Len()), nil
	})
}

// goesOutside decides where a tensor goes. Small scalars and vectors stay inside
// whatever size was asked for: the runtime reads shapes, axes and scales of them
// before it opens a data file, and refuses a model that keeps them there.
func (l *dataLayout) goesOutside(t *Tensor, initializer bool, o SaveOptions) (bool, error) {
	if o.Storage == StoreExternal && initializer && t.name != "" && t.dtype != tensor.String {
		n, err := t.ByteLen()
		operand := len(t.dims) <= 1 && n < DefaultMinExternal
		return n >= o.MinExternal && n > 0 && !operand, err
	}
	return o.Storage == StoreAsIs && t.IsExternal(), nil
}

// write writes the data file, the gaps filled with zeros.
func (l *dataLayout) write(w *output) error {
	gap := make([]byte, dataAlignment)
	at := int64(0)
	for i, p := range l.tensors {
		if _, err := w.Write(gap[:l.offsets[i]-at]); err != nil {
			return err
		}
		if _, err := p.WriteTo(w); err != nil {
			return err
		}
		at = l.offsets[i] + p.Len()
	}
	return nil
}

// sourcesOf are the files that a model is read from.
func sourcesOf(m *Model) []*source {
	var out []*source
	if m.src != nil {
		out = append(out, m.src)
	}
	if m.files != nil {
		m.files.mu.Lock()
		defer m.files.mu.Unlock()
		for _, s := range m.files.open {
			out = append(out, s)
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

// RefuseSources is an error where one of the paths, whatever name it is, leads
// to a file that the model is read from: an input is never an output.
func RefuseSources(m *Model, paths ...string) error {
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			continue
		}
		for _, s := range sourcesOf(m) {
			if s.file != nil && os.SameFile(s.seen, info) {
				return fmt.Errorf("%s: is the file that the model is read from; choose another name", p)
			}
		}
	}
	return nil
}
