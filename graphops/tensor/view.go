package tensor

import "fmt"

// View selects a part of a tensor that is shown as a matrix: one axis goes down, another goes
// across, and of every other axis there is one index.
type View struct {
	// Down and Across are different axes. If one of them is NoAxis, the matrix is a single row or
	// column.
	Down, Across int
	// At has an entry for each axis: the index that is shown, or Reduced. The entries for Down and
	// Across are ignored.
	At []int64
}

const (
	// NoAxis takes the place of an axis if the tensor has too few axes for a matrix.
	NoAxis = -1
	// Reduced, in place of an index, combines all indices of an axis: a cell of a Grid then
	// summarizes all of them.
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

// Elements returns the number of elements that the view covers, including those along reduced axes.
// The view must be valid for the shape.
func (v View) Elements(shape []int64) int64 {
	n := int64(1)
	for axis, length := range shape {
		if axis == v.Down || axis == v.Across || v.At[axis] == Reduced {
			n *= length
		}
	}
	return n
}

// Check returns an error unless the view is valid for a shape. For an axis of length 0 the index 0
// is valid; the view then has no elements.
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

// reduces reports whether the view combines all indices of an axis.
func (v View) reduces(axis int) bool {
	return axis != v.Down && axis != v.Across && v.At[axis] == Reduced
}

// strides returns, for each axis of a row-major tensor, the distance between neighbouring elements,
// in elements. The shape must be valid for Elements and have no axis of length 0.
func strides(shape []int64) []int64 {
	out := make([]int64, len(shape))
	n := int64(1)
	for axis := len(shape) - 1; axis >= 0; axis-- {
		out[axis] = n
		n *= shape[axis]
	}
	return out
}
