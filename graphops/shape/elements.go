package shape

import (
	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// maxFloats is the maximum number of elements of a floating-point constant that are traced. This
// suffices for scales and factors of sizes, and excludes weights.
const maxFloats = 16

// elementsOf returns the elements of a constant, or nil if it is too large, slow to compute, or cannot be
// read. The latter is reported when the model is saved or run.
func elementsOf(t *graphops.Tensor) []elem {
	n, err := t.Elements()
	if err != nil || n > limitOf(t.DType()) {
		return nil
	}
	data, err := t.Data()
	if err != nil || data.IsSlow() {
		return nil
	}
	b, err := data.Bytes()
	if err != nil {
		return nil
	}
	return elementsIn(tensor.Tensor{DType: t.DType(), Shape: t.Dims(), Data: b})
}

// limitOf returns how many elements of a type are traced.
func limitOf(d tensor.DType) int64 {
	switch d.Kind() {
	case tensor.KindSigned, tensor.KindUnsigned, tensor.KindBool:
		return MaxElements
	case tensor.KindFloat:
		return maxFloats
	default:
		return -1
	}
}

func elementsIn(t tensor.Tensor) []elem {
	out := make([]elem, t.Len())
	if t.DType.Kind() == tensor.KindFloat {
		list, err := t.Float64s()
		if err != nil {
			return nil
		}
		for i, f := range list {
			out[i] = floatElem(f)
		}
		return out
	}
	list, err := t.Int64s()
	if err != nil {
		return nil
	}
	for i, n := range list {
		out[i] = numberElem(n)
	}
	return out
}

// fixed returns the sizes as numbers if all of them are numbers.
func fixed(dims []dim.Dim) ([]int64, bool) {
	out := make([]int64, len(dims))
	for i, d := range dims {
		n, ok := d.Number()
		if !ok {
			return nil, false
		}
		out[i] = n
	}
	return out, dims != nil
}

// count returns the number of elements of a shape. ok is false if it is unknown or too large to
// be traced.
func count(dims []dim.Dim) (n int64, ok bool) {
	sizes, ok := fixed(dims)
	if !ok {
		return 0, false
	}
	n, err := tensor.Elements(sizes)
	return n, err == nil && n <= MaxElements
}

// strides returns the distances between neighbours along each axis, row-major.
func strides(sizes []int64) []int64 {
	out := make([]int64, len(sizes))
	step := int64(1)
	for i := len(sizes) - 1; i >= 0; i-- {
		out[i] = step
		step *= sizes[i]
	}
	return out
}

// eachIndex calls f with every index into a shape in row-major order. The slice is reused.
func eachIndex(sizes []int64, f func(index []int64)) {
	index := make([]int64, len(sizes))
	for _, n := range sizes {
		if n == 0 {
			return
		}
	}
	for {
		f(index)
		axis := len(sizes) - 1
		for ; axis >= 0; axis-- {
			if index[axis]++; index[axis] < sizes[axis] {
				break
			}
			index[axis] = 0
		}
		if axis < 0 {
			return
		}
	}
}

// picked returns elements of a tensor, arranged in a new shape. from receives an index into the new
// shape and sets at, the position in the tensor, whose sizes are given.
func picked(elems []elem, sizes, into []int64, from func(index, at []int64)) []elem {
	step, at := strides(sizes), make([]int64, len(sizes))
	var out []elem
	eachIndex(into, func(index []int64) {
		from(index, at)
		k := int64(0)
		for i, n := range at {
			k += n * step[i]
		}
		out = append(out, elems[k])
	})
	if out == nil {
		out = []elem{}
	}
	return out
}
