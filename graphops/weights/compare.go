package weights

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Compare compares the elements of b with those of a, which has the same shape, with tolerance 0.
// It returns nil if types and bits are the same. Numbers are streamed, a second time if the bits
// differ. Strings are read into memory.
func Compare(ctx context.Context, a, b *graphops.Tensor, progress Progress) (*tensor.Metrics, error) {
	if !slices.Equal(a.Dims(), b.Dims()) {
		return nil, fmt.Errorf("the shapes differ: %s and %s", tensor.FormatShape(a.Dims()), tensor.FormatShape(b.Dims()))
	}
	if a.DType() == tensor.String && b.DType() == tensor.String {
		return compareStrings(a, b)
	}
	if a.DType() == tensor.String || b.DType() == tensor.String {
		return nil, fmt.Errorf("elements of type %s and %s cannot be compared", a.DType(), b.DType())
	}
	if a.DType() == b.DType() {
		same, err := compareBits(ctx, a, b, progress)
		if same || err != nil {
			return nil, err
		}
	}
	var metrics tensor.Metrics
	err := passBoth(ctx, a, b, progress, func(x, y *content) error {
		elements, err := a.Elements()
		if err != nil {
			return err
		}
		rx, err := tensor.NewReader(x.stream(), a.DType(), elements)
		if err != nil {
			return err
		}
		ry, err := tensor.NewReader(y.stream(), b.DType(), elements)
		if err != nil {
			return err
		}
		metrics, err = tensor.CompareReaders(rx, ry, a.Dims(), tensor.Tolerance{})
		return err
	})
	if err != nil {
		return nil, err
	}
	return &metrics, nil
}

// Same reports whether two tensors have the same type, shape and bits. Numbers are streamed.
func Same(ctx context.Context, a, b *graphops.Tensor) (bool, error) {
	switch {
	case a.DType() != b.DType() || !slices.Equal(a.Dims(), b.Dims()):
		return false, nil
	case a.DType() == tensor.String:
		x, errA := a.Strings()
		y, errB := b.Strings()
		return slices.Equal(x, y), cmp.Or(errA, errB)
	default:
		x, errA := a.Data()
		y, errB := b.Data()
		if err := cmp.Or(errA, errB); err != nil {
			return false, err
		}
		inA, okA := x.InMemory()
		inB, okB := y.InMemory()
		if okA && okB {
			return bytes.Equal(inA, inB), nil
		}
		return compareBits(ctx, a, b, nil)
	}
}

func compareStrings(a, b *graphops.Tensor) (*tensor.Metrics, error) {
	x, err := a.Strings()
	if err != nil {
		return nil, err
	}
	y, err := b.Strings()
	if err != nil || slices.Equal(x, y) {
		return nil, err
	}
	m, err := tensor.Compare(tensor.FromStrings(x, a.Dims()...), tensor.FromStrings(y, b.Dims()...), tensor.Tolerance{})
	return &m, err
}

// errDiffers stops a comparison of bits at the first difference.
var errDiffers = errors.New("bits differ")

// compareBits reports whether two tensors of the same type and shape have the same bytes.
func compareBits(ctx context.Context, a, b *graphops.Tensor, progress Progress) (bool, error) {
	err := passBoth(ctx, a, b, progress, func(x, y *content) error {
		left := x.payload.Len()
		bufX, bufY := make([]byte, min(left, bufferBytes)), make([]byte, min(left, bufferBytes))
		rx, ry := x.stream(), y.stream()
		for left > 0 {
			n := min(left, bufferBytes)
			if _, err := io.ReadFull(rx, bufX[:n]); err != nil {
				return err
			}
			if _, err := io.ReadFull(ry, bufY[:n]); err != nil {
				return err
			}
			if !bytes.Equal(bufX[:n], bufY[:n]) {
				return errDiffers
			}
			left -= n
		}
		return nil
	})
	if errors.Is(err, errDiffers) {
		return false, nil
	}
	return err == nil, err
}

// passBoth opens two numeric tensors and calls do with their elements.
func passBoth(ctx context.Context, a, b *graphops.Tensor, progress Progress, do func(x, y *content) error) error {
	m := newMeter(ctx, 0, progress)
	x, err := open(a, m)
	if err != nil {
		return err
	}
	defer x.close()
	y, err := open(b, m)
	if err != nil {
		return err
	}
	defer y.close()
	m.total = x.payload.Len() + y.payload.Len()
	if err = ctx.Err(); err == nil {
		err = do(x, y)
	}
	return cmp.Or(err, x.payload.Unchanged(), y.payload.Unchanged())
}
