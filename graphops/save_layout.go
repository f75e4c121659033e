package graphops

import (
	"fmt"
	"io"

	"lathe/graphops/tensor"
)

// dataLayout decides which tensors go into data files, and where.
type dataLayout struct {
	// returns the location of the next data file; nil if there are none
	locate func() (string, error)
	// size that a second tensor must not exceed in a data file; 0 for no limit
	split int64
	files []*dataFile
	// larger are the tensors that are larger than split.
	larger []string

	model      *Model // the model to write, with references to its tensors
	modelBytes int64
}

// dataFile is the plan of one data file.
type dataFile struct {
	location string
	tensors  []Payload
	offsets  []int64
	size     int64
}

// place lays out a model with every tensor stored according to the options. Tensors other than
// initializers move only if they are already external.
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

// append assigns a tensor the next place in a data file.
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

// fileFor returns the data file for n more bytes: the last one, or a new one if it would become
// too large. Tensors keep their order.
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

// next returns the start of the next tensor.
func (f *dataFile) next() int64 {
	return (f.size + dataAlignment - 1) / dataAlignment * dataAlignment
}

// dataBytes returns the total size of all data files.
func (l *dataLayout) dataBytes() (n int64) {
	for _, f := range l.files {
		n += f.size
	}
	return n
}

// fits returns an error if the model file would be too large for protobuf.
func (l *dataLayout) fits() error {
	if l.modelBytes > MaxModelBytes {
		return fmt.Errorf("the model file would take %d bytes, protobuf allows %d; store weights outside with --external-data", l.modelBytes, MaxModelBytes)
	}
	return nil
}

// blameModel adds the model with the missing data to the error, because a model can consist of
// parts of several models.
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
	// The runtime reads shapes, axes and scales (small scalars and vectors) before it opens data
	// files, and rejects a model in which they are external.
	operand := len(t.dims) <= 1 && n < DefaultMinExternal
	if o.Storage == StoreAsIs {
		return !operand, err
	}
	return n >= o.MinExternal && n > 0 && !operand && t.name != "", err
}

// write writes the data file, with zeros in the gaps.
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
