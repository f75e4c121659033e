package compare

import (
	"fmt"
	"slices"

	"lathe/graphops/roles"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
	"lathe/session/text"
)

// Rows says which axes of an output have the sequences and the positions that a mask can leave out.
type Rows struct {
	Sequences, Positions int
	// New is set if only the new positions are in the output, not those in the cache.
	New bool
}

// RowsOf returns the rows of the outputs of a model with a cache, by name.
func RowsOf(found *roles.Roles) map[string]Rows {
	out := map[string]Rows{}
	if found == nil || len(found.Pairs) == 0 {
		return out
	}
	for i := range found.Outputs {
		p := &found.Outputs[i]
		switch p.Kind {
		case roles.Logits, roles.Hidden:
			out[p.Name] = Rows{Sequences: 0, Positions: 1, New: true}
		case roles.Present:
			pair := found.Pairs[p.Pair]
			if pair.Axis < 1 || pair.Cross || pair.Growth != roles.Grows && pair.Growth != roles.MayShare {
				continue
			}
			r := Rows{Positions: pair.Axis}
			if pair.Content == roles.KeyAndValue {
				r.Sequences = 1
			}
			out[p.Name] = r
		default:
		}
	}
	return out
}

// counted returns two outputs without the rows that the mask of a case leaves out, and how many rows
// those are. What an operator computes there is not defined. back turns an index of the smaller
// outputs into one of the outputs; it is nil if no row is left out.
func (c *comparison) counted(one inputs.Case, name string, a, b tensor.Tensor) (x, y tensor.Tensor, left int64, back func([]int64) []int64) {
	rows, ok := c.o.Rows[name]
	m := one.Counted
	if !ok || m == nil || !slices.Equal(a.Shape, b.Shape) || len(a.Shape) <= rows.Positions || a.Shape[rows.Sequences] != m.Sequences {
		return a, b, 0, nil
	}
	first := int64(0) // the position of the first row
	if rows.New {
		first = m.Positions - a.Shape[rows.Positions]
	}
	if first < 0 || first+a.Shape[rows.Positions] != m.Positions {
		return a, b, 0, nil
	}
	var kept [][]int64
	head := a.Shape[:rows.Positions+1]
	for index := make([]int64, len(head)); ; {
		if m.At[index[rows.Sequences]*m.Positions+first+index[rows.Positions]] {
			kept = append(kept, slices.Clone(index))
		} else {
			left++
		}
		if !advance(index, head) {
			break
		}
	}
	if left == 0 {
		return a, b, 0, nil
	}
	x, okX := picked(a, head, kept)
	y, okY := picked(b, head, kept)
	if !okX || !okY {
		return a, b, 0, nil
	}
	return x, y, left, func(at []int64) []int64 {
		if len(at) == 0 || at[0] >= int64(len(kept)) {
			return at
		}
		return slices.Concat(kept[at[0]], at[1:])
	}
}

// advance moves to the next index of a shape. It returns false after the last one.
func advance(index, shape []int64) bool {
	for axis := len(shape) - 1; axis >= 0; axis-- {
		if index[axis]++; index[axis] < shape[axis] {
			return true
		}
		index[axis] = 0
	}
	return false
}

// picked returns the rows of a tensor with some indexes of its first axes, along one axis.
func picked(t tensor.Tensor, head []int64, kept [][]int64) (tensor.Tensor, bool) {
	bits := t.DType.Bits()
	if bits%8 != 0 || bits == 0 || t.Check() != nil || t.Len() == 0 {
		return t, false
	}
	row := int64(bits / 8)
	for _, n := range t.Shape[len(head):] {
		row *= n
	}
	out := tensor.Tensor{DType: t.DType, Shape: append([]int64{int64(len(kept))}, t.Shape[len(head):]...)}
	for _, index := range kept {
		at := int64(0)
		for axis, n := range head {
			at = at*n + index[axis]
		}
		out.Data = append(out.Data, t.Data[at*row:(at+1)*row]...)
	}
	return out, true
}

// leftOut says how many rows were not judged because masks leave them out. It is empty if there are
// no such rows.
func (c *comparison) leftOut() string {
	left := int64(0)
	for _, one := range c.report.Cases {
		for _, o := range one.Outputs {
			left += o.LeftOut
		}
	}
	if left == 0 {
		return ""
	}
	return fmt.Sprintf("; %s that masks leave out were not judged", text.Plural(int(left), "row"))
}
