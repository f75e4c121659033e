package weights

import (
	"bufio"
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Beside compares two numeric tensors of the same shape in one pass. The result is for plots.
func Beside(ctx context.Context, a, b *graphops.Tensor, progress Progress) (tensor.Beside, error) {
	var out tensor.Beside
	n, err := besides(a, b)
	if err != nil {
		return out, err
	}
	err = passBoth(ctx, a, b, progress, func(x, y *content) error {
		rx, err := tensor.NewReader(bufio.NewReaderSize(x.stream(), bufferBytes), a.DType(), n)
		if err != nil {
			return err
		}
		ry, err := tensor.NewReader(bufio.NewReaderSize(y.stream(), bufferBytes), b.DType(), n)
		if err != nil {
			return err
		}
		out, err = tensor.CompareBeside(rx, ry, a.Dims())
		return err
	})
	return out, err
}

// GridBeside reduces the differences between two tensors to at most the given number of rows and
// columns of cells, for a heat map. v says which part of the tensors it shows.
func GridBeside(ctx context.Context, a, b *graphops.Tensor, v tensor.View, rows, columns int, progress Progress) (tensor.PairGrid, error) {
	var out tensor.PairGrid
	if _, err := besides(a, b); err != nil {
		return out, err
	}
	err := passBoth(ctx, a, b, progress, func(x, y *content) (err error) {
		out, err = tensor.GridBeside(x.Stored, y.Stored, v, rows, columns)
		return err
	})
	return out, err
}

// besides returns the number of elements of each tensor. It returns an error if the tensors cannot
// be compared.
func besides(a, b *graphops.Tensor) (int64, error) {
	switch {
	case a.DType() == tensor.String || b.DType() == tensor.String:
		return 0, fmt.Errorf("strings cannot be compared by distance, expected numbers")
	case !slices.Equal(a.Dims(), b.Dims()):
		return 0, fmt.Errorf("the shapes differ: %s and %s", tensor.FormatShape(a.Dims()), tensor.FormatShape(b.Dims()))
	}
	return a.Elements()
}
