package graphops

import (
	"fmt"
	"io"

	"lathe/graphops/durable"
	"lathe/graphops/tensor"
)

// dataLayout decides which tensors are stored in data files, and at which offsets.
type dataLayout struct {
	// returns the location of the next data file; nil if locations do not matter
	locate func() (string, error)
	// maximum size of a data file with more than one tensor; 0 for no limit
	split int64
	files []*dataFile
	// names of the tensors that are larger than split
	larger []string

	model      *Model // the model to write, with references to its tensors
	modelBytes int64
}

// dataFile describes a data file to be written: its location, and the tensors in it.
type dataFile struct {
	location string
	tensors  []Payload
	offsets  []int64
	size     int64
}

// place assigns each tensor of a model to the model file or a data file, according to the options.
// Tensors that are not initializers are moved only if they are already external.
func (l *dataLayout) place(m *Model, o SaveOptions) (err error) {
	l.split = o.Split
	l.model, err = mapTensors(m, func(t *Tensor, initializer bool) (*Tensor, error) {
		outside, err := l.goesOutside(t, initializer, o)
		if err != nil || !outside && !t.IsExternal() {
			return t, err
		}
		data, err := t.Data()
		if err != nil {
			return nil, t.blameModel(err)
		}
		if !outside {
			return t.inline(data), nil
		}
		return l.append(t, data)
	})
	if err == nil {
		l.modelBytes = encodedSize(l.model)
	}
	return err
}

// relocate changes the locations of files with compiled parts.
func (l *dataLayout) relocate(b blobLayout) {
	if len(b.renamed) > 0 {
		l.model = l.model.withLocations(b.renamed)
		l.modelBytes = encodedSize(l.model)
	}
}

// append adds a tensor at the end of the last data file, or of a new one. It returns the tensor
// with a reference to that location.
func (l *dataLayout) append(t *Tensor, data Payload) (*Tensor, error) {
	f, err := l.fileFor(data.Len())
	if err != nil {
		return nil, err
	}
	if l.split > 0 && data.Len() > l.split {
		l.larger = append(l.larger, t.name)
	}
	offset := f.next()
	f.tensors, f.offsets = append(f.tensors, data), append(f.offsets, offset)
	f.size = offset + data.Len()
	return t.outside(f.location, offset, data.Len()), nil
}

// fileFor returns the data file for a tensor of n bytes. This is the last file, or a new one if the
// last would become too large. Earlier files are not considered, so the tensors keep their order.
func (l *dataLayout) fileFor(n int64) (*dataFile, error) {
	if i := len(l.files) - 1; i >= 0 && (l.split == 0 || l.files[i].next()+n <= l.split) {
		return l.files[i], nil
	}
	f := &dataFile{}
	if l.locate != nil {
		var err error
		if f.location, err = l.locate(); err != nil {
			return nil, err
		}
	}
	l.files = append(l.files, f)
	return f, nil
}

// next returns the offset at which the next tensor starts.
func (f *dataFile) next() int64 {
	return (f.size + dataAlignment - 1) / dataAlignment * dataAlignment
}

// parts returns the files to be written: that of the model, and the data files.
func (l *dataLayout) parts() (model durable.Part, data []durable.Part) {
	for _, f := range l.files {
		data = append(data, durable.Part{Name: f.location, Bytes: f.size, Write: f.write})
	}
	return durable.Part{Bytes: l.modelBytes, Write: func(w io.Writer) error {
		e := encoder{w: w}
		e.model(l.model)
		return e.err
	}}, data
}

// dataBytes returns the total size of all data files.
func (l *dataLayout) dataBytes() (n int64) {
	for _, f := range l.files {
		n += f.size
	}
	return n
}

// fits returns an error if the model file would exceed protobuf's limit of 2 GiB.
func (l *dataLayout) fits() error {
	if l.modelBytes > MaxModelBytes {
		return fmt.Errorf("the model file would take %d bytes, protobuf allows %d; store weights outside with --external-data", l.modelBytes, MaxModelBytes)
	}
	return nil
}

// blameModel adds the path of the model whose data is missing to the error, because a model can
// have tensors of several models.
func (t *Tensor) blameModel(err error) error {
	if t.files == nil {
		return err
	}
	for _, f := range t.files.folders {
		if f.model != nil {
			return fmt.Errorf("%s: %w", f.model.path, err)
		}
	}
	return err
}

// goesOutside decides whether a tensor is stored in a data file.
func (l *dataLayout) goesOutside(t *Tensor, initializer bool, o SaveOptions) (bool, error) {
	if o.Storage == StoreEmbedded || o.Storage == StoreAsIs && !t.IsExternal() || t.dtype == tensor.String {
		return false, nil
	}
	if !initializer {
		return t.IsExternal() && o.Storage == StoreAsIs, nil
	}
	n, err := t.ByteLen()
	// ONNX Runtime reads shapes, axes and scales before it opens data files. It rejects a model in
	// which they are external. These are small tensors with at most one axis.
	operand := len(t.dims) <= 1 && n < DefaultMinExternal
	if o.Storage == StoreAsIs {
		return !operand, err
	}
	return n >= o.MinExternal && n > 0 && !operand && t.name != "", err
}

// write writes the content of the data file, with zeros between the tensors.
func (f *dataFile) write(w io.Writer) error {
	gap := make([]byte, dataAlignment)
	at := int64(0)
	for i, p := range f.tensors {
		if _, err := w.Write(gap[:f.offsets[i]-at]); err != nil {
			return err
		}
		if _, err := p.WriteTo(w); err != nil {
			return err
		}
		at = f.offsets[i] + p.Len()
	}
	return nil
}
