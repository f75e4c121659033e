package graphops

import (
	"bytes"
	"fmt"
	"path/filepath"
)

// Image is a model in the form in which a runtime loads it from memory. The structure is
// serialized, and large weights are external references to the files in which they already are.
// Creating an image writes no files.
type Image struct {
	Bytes  []byte
	Folder string // with the referenced files; empty without references
}

// minImageReference is the size in bytes from which a weight becomes an external reference. Smaller
// weights are copied into the image.
const minImageReference = 4096

// ImageOf creates the image of a model. All references must be to files of one folder, that of the
// first weight. Weights in other folders, and computed weights, are therefore part of the bytes.
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

// inlineIfOutside embeds data, the tensor's elements, if the tensor is external. Otherwise it
// returns the tensor unchanged.
func (t *Tensor) inlineIfOutside(data Payload) *Tensor {
	if t.IsExternal() {
		return t.inline(data)
	}
	return t
}
