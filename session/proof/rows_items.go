package proof

import (
	"fmt"
	"slices"

	"lathe/graphops/tensor"
)

// alike reports whether two tensors are equal within the tolerance of their type.
func alike(a, b tensor.Tensor) bool {
	if unlike(a, b) != nil {
		return false
	}
	m, err := tensor.Compare(a, b, toleranceOf(b.DType))
	return err == nil && m.Mismatched == 0
}

// alongWhich returns the axis that is n times as long as for a single item. If there is none, why
// is the reason.
func alongWhich(single, all []int64, n int64) (axis int, why string) {
	if slices.Equal(single, all) {
		return 0, withoutAxis
	}
	axis = -1
	for i := range single {
		if len(all) != len(single) || all[i] != single[i] && (axis >= 0 || all[i] != n*single[i]) {
			return 0, fmt.Sprintf("its shape %s is not that of %d items of %s", tensor.FormatShape(all), n, tensor.FormatShape(single))
		}
		if all[i] != single[i] {
			axis = i
		}
	}
	return axis, ""
}

// cutter cuts item i of n out of a tensor.
type cutter func(all tensor.Tensor, axis int, i, n int64) (tensor.Tensor, error)

// itemsInOrder cuts items that are contiguous along the axis.
func itemsInOrder(all tensor.Tensor, axis int, i, n int64) (tensor.Tensor, error) {
	size := all.Shape[axis] / n
	return Cut(all, axis, i*size, (i+1)*size)
}

// itemsInside returns a cutter for tensors in which another axis before that of the items was
// merged with it, so that an item is not contiguous. old is the number of elements of an item along
// its own axis.
func itemsInside(old int64) cutter {
	return func(all tensor.Tensor, axis int, i, n int64) (tensor.Tensor, error) {
		if old == 0 || all.Shape[axis]%(n*old) != 0 {
			return tensor.Tensor{}, fmt.Errorf("an axis of %d elements has no %d items of %d", all.Shape[axis], n, old)
		}
		front := all.Shape[axis] / (n * old)
		parted := all
		parted.Shape = slices.Concat(all.Shape[:axis], []int64{front, n * old}, all.Shape[axis+1:])
		out, err := Cut(parted, axis+1, i*old, (i+1)*old)
		out.Shape = slices.Concat(all.Shape[:axis], []int64{front * old}, all.Shape[axis+1:])
		return out, err
	}
}

// withoutAxis is why an output has no items: none of its axes depends on the freed one.
const withoutAxis = "its shape does not depend on the axis"
