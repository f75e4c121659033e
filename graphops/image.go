package graphops

import (
	"bytes"
	"fmt"
	"path/filepath"
)

// Image is a model as a runtime takes it from memory: its structure as bytes,
// with external references into the files that its weights lie in. Nothing is
// written to make one.
type Image struct {
	Bytes  []byte
	Folder string // that the references are relative to; "" where there are none
}

// minImageReference is the size from which on a weight is referred to and not
// copied into the image, in bytes.
const minImageReference = 4096

// ImageOf makes the image of a model. Computed weights, and those in another
// folder than the model's first file, are part of the bytes.
func ImageOf(m *Model) (Image, error) {
	folder := ""
	placed, err := mapTensors(m, func(t *Tensor, initializer bool) (*Tensor, error) {
		if t.dtype.Bits() == 0 || !initializer && !t.IsExternal() {
			return t, nil
		}
		data, err := t.Data()
		if err != nil {
			return nil, err
		}
		if !initializer || data.src == nil || data.src.real == "" || data.Len() < minImageReference {
			return t.inlineIfOutside(data), nil
		}
		dir := filepath.Dir(data.src.real)
		if folder == "" {
			folder = dir
		}
		if dir != folder {
			return t.inlineIfOutside(data), nil
		}
		return t.outside(filepath.Base(data.src.real), data.offset, data.Len()), nil
	})
	if err != nil {
		return Image{}, err
	}
	n := encodedSize(placed)
	if n > MaxModelBytes {
		return Image{}, fmt.Errorf("%d bytes of computed weights are too many to run unsaved; save the model first", n)
	}
	buf := bytes.NewBuffer(make([]byte, 0, n))
	e := encoder{w: buf}
	if e.model(placed); e.err != nil {
		return Image{}, e.err
	}
	return Image{Bytes: buf.Bytes(), Folder: folder}, InPlace(m)
}

// inlineIfOutside embeds external data and leaves any other tensor as it is.
func (t *Tensor) inlineIfOutside(data Payload) *Tensor {
	if t.IsExternal() {
		return t.inline(data)
	}
	return t
}
