package graphops

import (
	"bytes"
	"fmt"
	"path/filepath"
)

// Image is a model in the form in which a runtime loads it from memory: its structure as bytes,
// with external references to the files with its weights. Creating one writes no files.
type Image struct {
	Bytes  []byte
	Folder string // that the references are relative to; empty if there are none
}

// minImageReference is the size in bytes from which a weight is referenced instead of copied
// into the image.
const minImageReference = 4096

// ImageOf creates the image of a model. Computed weights, and weights in another folder than
// that of the first weight, are part of the bytes.
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

// inlineIfOutside embeds external data and leaves other tensors unchanged.
func (t *Tensor) inlineIfOutside(data Payload) *Tensor {
	if t.IsExternal() {
		return t.inline(data)
	}
	return t
}
