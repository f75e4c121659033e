package proof

import (
	"bytes"

	"lathe/graphops/tensor"
)

// elements is a set of elements of a value. For each of its tensors that has any, there is one bit
// for every element, or for every byte if the type is smaller than a byte.
type elements map[int][]uint64

// add adds the elements in which two tensors of the same type and shape differ.
func (e *elements) add(part int, a, b tensor.Tensor) {
	n, same := unequalAt(a, b)
	bits := make([]uint64, (n+63)/64)
	for i := range n {
		if !same(i) {
			bits[i/64] |= 1 << (i % 64)
		}
	}
	*e = e.with(elements{part: bits})
}

// unequalAt returns the number of elements and a function that compares them one by one.
func unequalAt(a, b tensor.Tensor) (n int, same func(i int) bool) {
	if a.DType == tensor.String {
		return len(a.Strings), func(i int) bool { return a.Strings[i] == b.Strings[i] }
	}
	size := max(a.DType.Bits()/8, 1)
	return len(a.Data) / size, func(i int) bool {
		return bytes.Equal(a.Data[i*size:(i+1)*size], b.Data[i*size:(i+1)*size])
	}
}

// with returns the union of two sets.
func (e elements) with(f elements) elements {
	if len(e) == 0 {
		return f
	}
	out := elements{}
	for part, bits := range e {
		out[part] = append([]uint64{}, bits...)
	}
	for part, bits := range f {
		if out[part] == nil {
			out[part] = bits
			continue
		}
		for i := range min(len(bits), len(out[part])) {
			out[part][i] |= bits[i]
		}
	}
	return out
}

// within reports whether the set is a subset of another.
func (e elements) within(f elements) bool {
	for part, bits := range e {
		for i, b := range bits {
			if b != 0 && (i >= len(f[part]) || b&^f[part][i] != 0) {
				return false
			}
		}
	}
	return true
}
