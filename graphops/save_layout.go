package graphops

import (
	"fmt"
	"io"

	"lathe/graphops/tensor"
)

// dataLayout decides which tensors go into the data file and where.
type dataLayout struct {
	locate   func() (string, error) // of the data file, if one is needed; nil for none
	location string
	tensors  []Payload
	offsets  []int64
	size     int64

	model      *Model // as it is written, with references to where its tensors go
	modelBytes int64
}

// place lays a model out with every tensor stored as the options say. What is no
// initializer moves only if it was external already.
func (l *dataLayout) place(m *Model, o SaveOptions) (err error) {
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

// append gives a tensor the next place in the data file.
func (l *dataLayout) append(t *Tensor, data Payload) (_ *Tensor, err error) {
	if l.location == "" && l.locate != nil {
		if l.location, err = l.locate(); err != nil {
			return nil, err
		}
	}
	offset := (l.size + dataAlignment - 1) / dataAlignment * dataAlignment
	l.tensors, l.offsets = append(l.tensors, data), append(l.offsets, offset)
	l.size = offset + data.Len()
	return t.outside(l.location, offset, data.Len()), nil
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
func (l *dataLayout) write(w io.Writer) error {
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
