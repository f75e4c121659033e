package tensor

import "fmt"

// View shows a tensor as a matrix: one axis down, another across, and one index of each of the
// others.
type View struct {
	// Down and Across are different axes, or NoAxis for a single row or column.
	Down, Across int
	// At has an entry for each axis: its index, or Reduced. Those of Down and Across are ignored.
	At []int64
}

const (
	// NoAxis is used if a tensor has too few axes for a matrix.
	NoAxis = -1
	// Reduced in place of an index means all indices together.
	Reduced = -1
)

// ViewOf returns the default view of a tensor: its last two axes, and the first index of all
// others.
func ViewOf(shape []int64) View {
	rank := len(shape)
	v := View{Down: NoAxis, Across: NoAxis, At: make([]int64, rank)}
	if rank > 0 {
		v.Across = rank - 1
	}
	if rank > 1 {
		v.Down = rank - 2
	}
	return v
}

// Size returns the numbers of rows and columns of the matrix.
func (v View) Size(shape []int64) (rows, columns int64) {
	rows, columns = 1, 1
	if v.Down != NoAxis {
		rows = shape[v.Down]
	}
	if v.Across != NoAxis {
		columns = shape[v.Across]
	}
	return rows, columns
}

// Elements returns the number of elements that the view covers. The view must be valid for the
// shape.
func (v View) Elements(shape []int64) int64 {
	n := int64(1)
	for axis, length := range shape {
		if axis == v.Down || axis == v.Across || v.At[axis] == Reduced {
			n *= length
		}
	}
	return n
}

// Check returns an error unless the view is valid for a shape. An axis of length 0 has an index 0
// without elements.
func (v View) Check(shape []int64) error {
	if len(v.At) != len(shape) {
		return fmt.Errorf("%d indices for shape %s, expected one for each axis", len(v.At), FormatShape(shape))
	}
	for _, axis := range []int{v.Down, v.Across} {
		if axis != NoAxis && (axis < 0 || axis >= len(shape)) {
			return fmt.Errorf("shape %s has no axis %d", FormatShape(shape), axis)
		}
	}
	if v.Down == v.Across && v.Down != NoAxis {
		return fmt.Errorf("axis %d cannot go down and across at once; choose another for one of them", v.Down)
	}
	for axis, at := range v.At {
		if axis != v.Down && axis != v.Across && at != Reduced && (at < 0 || at >= max(shape[axis], 1)) {
			return fmt.Errorf("index %d along axis %d of shape %s, expected one below %d", at, axis, FormatShape(shape), shape[axis])
		}
	}
	return nil
}

// reduces reports whether an axis is reduced.
func (v View) reduces(axis int) bool {
	return axis != v.Down && axis != v.Across && v.At[axis] == Reduced
}

// strides returns the distances, in elements, between neighbours along each axis of a row-major
// tensor. The shape must be valid for Elements and have no axis of length 0.
func strides(shape []int64) []int64 {
	out := make([]int64, len(shape))
	n := int64(1)
	for axis := len(shape) - 1; axis >= 0; axis-- {
		out[axis] = n
		n *= shape[axis]
	}
	return out
}
