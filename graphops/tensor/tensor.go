package tensor

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Tensor is a dense tensor in memory. It is passed by value. Its slices are shared, so they must
// not be changed.
type Tensor struct {
	DType DType
	Shape []int64 // empty for a scalar
	// Data has the elements in row-major order, little endian. Elements smaller than a byte are
	// packed, the first in the low bits. It is nil for strings.
	Data []byte
	// Strings has the elements of a string tensor, not necessarily UTF-8.
	Strings []string
}

// Elements returns the number of elements of a shape, 1 for a scalar. A negative dimension or a
// product above int64 is an error.
func Elements(shape []int64) (int64, error) {
	n := uint64(1)
	empty := false
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("negative dimension %d in shape %s", d, FormatShape(shape))
		}
		if d == 0 {
			empty = true
			continue
		}
		hi, lo := bits.Mul64(n, uint64(d))
		if hi != 0 || lo > 1<<63-1 {
			return 0, fmt.Errorf("shape %s has more than 2^63 elements", FormatShape(shape))
		}
		n = lo
	}
	if empty {
		return 0, nil
	}
	return int64(n), nil
}

// FormatShape writes a shape as "1×3×224×224", and "scalar" for rank 0.
func FormatShape(shape []int64) string {
	if len(shape) == 0 {
		return "scalar"
	}
	parts := make([]string, len(shape))
	for i, d := range shape {
		parts[i] = strconv.FormatInt(d, 10)
	}
	return strings.Join(parts, "×")
}

// Check returns an error unless the data matches type and shape.
func (t Tensor) Check() error {
	n, err := Elements(t.Shape)
	if err != nil {
		return err
	}
	if t.DType == String {
		if int64(len(t.Strings)) != n {
			return fmt.Errorf("shape %s needs %d strings, got %d", FormatShape(t.Shape), n, len(t.Strings))
		}
		return nil
	}
	want, err := t.DType.ByteLen(n)
	if err != nil {
		return err
	}
	if int64(len(t.Data)) != want {
		return fmt.Errorf("%s %s needs %d bytes, got %d", t.DType, FormatShape(t.Shape), want, len(t.Data))
	}
	return nil
}
