package npz

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"lathe/graphops/tensor"
)

// Next reads the next .npy file from a stream of several. numpy.save writes such a stream when it
// is called several times for one file. At the end Next returns io.EOF.
func Next(r io.Reader, o Options) (tensor.Tensor, error) {
	var first [1]byte
	if _, err := io.ReadFull(r, first[:]); err != nil {
		return tensor.Tensor{}, err
	}
	t, err := next(io.MultiReader(bytes.NewReader(first[:]), r), o)
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("the array is cut off: %w", io.ErrUnexpectedEOF)
	}
	return t, err
}

func next(r io.Reader, o Options) (tensor.Tensor, error) {
	h, _, err := readHeader(r)
	if err != nil {
		return tensor.Tensor{}, err
	}
	k, err := parseDescr(h.descr)
	if err != nil {
		return tensor.Tensor{}, err
	}
	n, err := tensor.Elements(h.shape)
	if err != nil {
		return tensor.Tensor{}, err
	}
	if err := newBudget(o).take(memory(k, n)); err != nil {
		return tensor.Tensor{}, err
	}
	hi, want := bits.Mul64(uint64(n), uint64(k.size))
	if hi != 0 || want > 1<<62 {
		return tensor.Tensor{}, fmt.Errorf("%s of %q", tensor.FormatShape(h.shape), h.descr)
	}
	// The buffer grows with the data, because a wrong header could claim a huge size.
	var data bytes.Buffer
	if _, err := io.CopyN(&data, r, int64(want)); err != nil {
		return tensor.Tensor{}, fmt.Errorf("the elements are cut off: %w", err)
	}
	return k.tensor(h, n, data.Bytes())
}
