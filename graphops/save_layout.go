package graphops

import (
	"fmt"
	"io"

	"lathe/graphops/tensor"
)

// dataLayout decides which tensors go into data files and where.
type dataLayout struct {
	locate func() (string, error) // of the next data file; nil for none
	split  int64                  // the size that no data file grows past by a second tensor; 0 for any
	files  []*dataFile
	// larger are the tensors that are larger than split by themselves.
	larger []string

	model      *Model // as it is written, with references to where its tensors go
	modelBytes int64
}

// dataFile is one data file as it will be.
type dataFile struct {
	location string
	tensors  []Payload
	offsets  []int64
	size     int64
}

// place lays a model out with every tensor stored as the options say. What is no
// initializer moves only if it was external already.
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

// append gives a tensor the next place in a data file.
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

// fileFor is the data file that so many bytes go into: the last one, or another where it
// would grow too large. Tensors stay in their order.
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

// next is where the next tensor begins.
func (f *dataFile) next() int64 {
	return (f.size + dataAlignment - 1) / dataAlignment * dataAlignment
}

// dataBytes is the size of all data files together.
func (l *dataLayout) dataBytes() (n int64) {
	for _, f := range l.files {
		n += f.size
	}
	return n
}

// fits is an error where no file can hold the model.
func (l *dataLayout) fits() error {
	if l.modelBytes > MaxModelBytes {
		return fmt.Errorf("the model file would take %d bytes, protobuf allows %d; store weights outside with --external-data", l.modelBytes, MaxModelBytes)
	}
	return nil
}

// blameModel names the model whose data a tensor lacks: what is laid out can be
// made of several.
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

// goesOutside decides where a tensor goes.
func (l *dataLayout) goesOutside(t *Tensor, initializer bool, o SaveOptions) (bool, error) {
	if o.Storage == StoreEmbedded || o.Storage == StoreAsIs && !t.IsExternal() || t.dtype == tensor.String {
		return false, nil
	}
	if !initializer {
		return t.IsExternal() && o.Storage == StoreAsIs, nil
	}
	n, err := t.ByteLen()
	// The runtime reads shapes, axes and scales of small scalars and vectors before
	// it opens a data file, and refuses a model that keeps them there.
	operand := len(t.dims) <= 1 && n < DefaultMinExternal
	if o.Storage == StoreAsIs {
		return !operand, err
	}
	return n >= o.MinExternal && n > 0 && !operand && t.name != "", err
}

// write writes the data file, the gaps filled with zeros.
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
