package inputs

import (
	"fmt"
	"math"

	"lathe/graphops/tensor"
	"lathe/session/text"
)

// budget is how much memory all generated inputs may use, and how much of that is left, in bytes.
type budget struct{ most, left int64 }

// claim returns the number of elements of an input and subtracts its memory from what is left.
func (b *budget) claim(spec Spec, shape []int64) (int64, error) {
	n, err := tensor.Elements(shape)
	if err != nil {
		return 0, fmt.Errorf("input %q: %w", spec.Name, err)
	}
	size := int64(math.MaxInt64)
	if spec.DType == tensor.String {
		if n < math.MaxInt64/16 {
			size = 16 * n
		}
	} else if size, err = spec.DType.ByteLen(n); err != nil {
		return 0, fmt.Errorf("input %q: %w", spec.Name, err)
	}
	if size > b.left {
		return 0, b.exceeded(spec, shape, size)
	}
	b.left -= size
	return n, nil
}

func (b *budget) exceeded(spec Spec, shape []int64, size int64) error {
	beside := ""
	if b.left < b.most {
		beside = " beside the " + text.Bytes(b.most-b.left) + " of others"
	}
	return fmt.Errorf("input %q of shape %s takes %s%s, generated inputs take at most %s: raise it with --input-limit, or give smaller sizes with --dim, or --input %s=FILE",
		spec.Name, tensor.FormatShape(shape), text.Bytes(size), beside, text.Bytes(b.most), spec.Name)
}

// fill generates the n elements of one tensor.
func fill(d tensor.DType, shape []int64, n int64, pick choice) (tensor.Tensor, error) {
	t := tensor.Tensor{DType: d, Shape: shape}
	if d == tensor.String {
		t.Strings = make([]string, n)
		for i := range t.Strings {
			t.Strings[i] = pick.words()
		}
		return t, nil
	}
	size, err := d.ByteLen(n)
	if err != nil {
		return tensor.Tensor{}, err
	}
	t.Data = make([]byte, size)
	return t, encode(t, n, pick.numbers)
}

// encode writes n elements to a tensor, in chunks. The number of elements in a chunk is such
// that they fill whole bytes, also for types of less than 8 bits.
func encode(t tensor.Tensor, n int64, next func() float64) error {
	const chunk = 4096
	values := make([]float64, 0, chunk)
	data := t.Data
	for left := n * int64(t.DType.Components()); left > 0; left -= int64(len(values)) {
		values = values[:min(left, chunk)]
		for i := range values {
			values[i] = next()
		}
		if err := tensor.EncodeFloat64(data, t.DType, values); err != nil {
			return err
		}
		if left > chunk {
			data = data[chunk/t.DType.Components()*t.DType.Bits()/8:]
		}
	}
	return nil
}
