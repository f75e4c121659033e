package tensor

import "fmt"

// View looks at a tensor as a matrix: one axis down, another across, the rest held
// at one index each.
type View struct {
	// Down and Across are different axes, or NoAxis: then there is one row, or one
	// column.
	Down, Across int
	// At has an entry for every axis: its index, or Reduced. Those of Down and Across
	// are not looked at.
	At []int64
}

const (
	// NoAxis stands where a matrix needs an axis and a tensor has too few.
	NoAxis = -1
	// Reduced in place of an index takes all of them together.
	Reduced = -1
)

// ViewOf is the view that a tensor is looked at first: its last two axes, and the
// first of everything else.
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

// Size is how many rows and columns the matrix has.
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

// Elements is how many elements the view takes in. The shape is one that the view
// fits and that Elements accepts.
func (v View) Elements(shape []int64) int64 {
	n := int64(1)
	for axis, length := range shape {
		if axis == v.Down || axis == v.Across || v.At[axis] == Reduced {
			n *= length
		}
	}
	return n
}

// Check reports whether the view is one of a tensor of some shape. Along an axis of
// length 0 there is an index 0, at which there is nothing.
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

// reduces reports whether an axis is taken as a whole.
func (v View) reduces(axis int) bool {
	return axis != v.Down && axis != v.Across && v.At[axis] == Reduced
}

// strides are how many elements of a row-major tensor lie between neighbours along
// each axis. The shape is one that Elements accepts and has no axis of length 0.
func strides(shape []int64) []int64 {
	out := make([]int64, len(shape))
	n := int64(1)
	for axis := len(shape) - 1; axis >= 0; axis-- {
		out[axis] = n
		n *= shape[axis]
	}
	return out
}
