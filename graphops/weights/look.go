package weights

import (
	"bufio"
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// bufferBytes is the number of bytes that a pass reads at once. It is large enough that the cost of
// a call does not matter, and small enough for the second-level cache.
const bufferBytes = 256 << 10

// Profile describes the numbers of a tensor. It reads them in one pass.
func Profile(ctx context.Context, t *graphops.Tensor, progress Progress) (tensor.Profile, error) {
	var p tensor.Profile
	err := each(ctx, t, progress, func(r *tensor.Reader) (err error) {
		p, err = tensor.ProfileReader(r)
		return err
	})
	return p, err
}

// each calls do with a reader of all numbers of a tensor.
func each(ctx context.Context, t *graphops.Tensor, progress Progress, do func(*tensor.Reader) error) error {
	if t.DType() == tensor.String {
		return fmt.Errorf("tensor %q: contains strings, expected numbers", t.Name())
	}
	n, err := t.Elements()
	if err != nil {
		return err
	}
	return pass(ctx, t, n, progress, func(c *content) error {
		r, err := tensor.NewReader(bufio.NewReaderSize(c.stream(), bufferBytes), c.DType, n)
		if err != nil {
			return err
		}
		return do(r)
	})
}

// Strings describes the elements of a string tensor. It reads them into memory.
func Strings(t *graphops.Tensor) (tensor.StringProfile, error) {
	list, err := t.Strings()
	if err != nil {
		return tensor.StringProfile{}, err
	}
	return tensor.ProfileStrings(list), nil
}

// Grid reduces a view of a tensor to at most the given number of rows and columns of cells, for a
// heat map.
func Grid(ctx context.Context, t *graphops.Tensor, v tensor.View, rows, columns int, progress Progress) (tensor.Grid, error) {
	if t.DType() == tensor.String {
		return tensor.Grid{}, fmt.Errorf("tensor %q: a heat map needs numbers, but its elements are strings; show single elements instead", t.Name())
	}
	var g tensor.Grid
	n, err := viewed(t, v)
	if err != nil {
		return g, err
	}
	err = pass(ctx, t, n, progress, func(c *content) (err error) {
		g, err = c.Grid(v, rows, columns)
		return err
	})
	return g, err
}

// Window reads a part of a view of a tensor. If the tensor has strings, all of them are read into
// memory.
func Window(ctx context.Context, t *graphops.Tensor, v tensor.View, w tensor.Window) (tensor.Tensor, error) {
	var out tensor.Tensor
	if t.DType() == tensor.String {
		list, err := t.Strings()
		if err != nil {
			return out, err
		}
		if out, err = tensor.FromStrings(list, t.Dims()...).Window(v, w); err != nil {
			return out, fmt.Errorf("tensor %q: %w", t.Name(), err)
		}
		return out, nil
	}
	n, err := viewed(t, v)
	if err != nil {
		return out, err
	}
	err = pass(ctx, t, n, nil, func(c *content) (err error) {
		out, err = c.Window(v, w)
		return err
	})
	return out, err
}

// viewed returns the number of elements that a view of a tensor covers. It returns an error if the
// view is not valid for the tensor.
func viewed(t *graphops.Tensor, v tensor.View) (int64, error) {
	if _, err := t.Elements(); err != nil {
		return 0, err
	}
	if err := v.Check(t.Dims()); err != nil {
		return 0, fmt.Errorf("tensor %q: %w", t.Name(), err)
	}
	return v.Elements(t.Dims()), nil
}
