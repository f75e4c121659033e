package inputs

import (
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
)

// readRaw reads the elements of an input from a file of little-endian bytes without a header. If
// one size of the shape is open, it follows from the size of the file. Several open sizes are an
// error.
func readRaw(path string, in graphops.NamedType, dims map[string]int64) (graphops.Value, error) {
	fail := func(err error) (graphops.Value, error) {
		return graphops.Value{}, fmt.Errorf("%s for input %q: %w", path, in.Name, err)
	}
	f, err := openRegular(path, npz.DefaultMaxBytes)
	if err != nil {
		return graphops.Value{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fail(err)
	}
	shape, err := rawShape(info.Size(), in.Type, withDims(in, dims))
	if err != nil {
		return fail(err)
	}
	t := tensor.Tensor{DType: in.Type.Elem, Shape: shape, Data: make([]byte, info.Size())}
	if _, err := io.ReadFull(f, t.Data); err != nil {
		return fail(err)
	}
	return graphops.TensorValue(t), t.Check()
}

// rawShape returns the shape that an input has if its elements take size bytes. s is the declared
// shape; one of its sizes may be open.
func rawShape(size int64, t graphops.Type, s graphops.Shape) ([]int64, error) {
	if t.Kind != graphops.TypeTensor || t.Elem.Bits() == 0 || s == nil {
		return nil, fmt.Errorf("raw bytes cannot be a %s of shape %s", t, s)
	}
	open, shape := -1, make([]int64, len(s))
	for axis, d := range s {
		shape[axis] = d.Value
		if d.IsFixed() {
			continue
		}
		if open >= 0 {
			return nil, fmt.Errorf("raw bytes can determine only one open size, and %s has several; give the others with --dim", s)
		}
		open, shape[axis] = axis, 1
	}
	n, err := tensor.Elements(shape)
	if err != nil {
		return nil, err
	}
	want, err := t.Elem.ByteLen(n)
	switch {
	case err != nil:
		return nil, err
	case open >= 0 && want > 0 && size%want == 0 && t.Elem.Bits() >= 8:
		shape[open] = size / want
	case want != size:
		return nil, fmt.Errorf("%s of %s needs %d bytes, the file has %d", t, s, want, size)
	}
	return shape, nil
}
