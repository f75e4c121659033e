package evaluate

import (
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// views has the operators whose output has the same elements as the first input, in the same order.
var views = map[string]operator{
	"Identity":  {1, view, true},
	"Reshape":   {1, view, true},
	"Flatten":   {1, view, true},
	"Squeeze":   {1, view, true},
	"Unsqueeze": {1, view, true},
}

func view(c *call) ([]*graphops.Tensor, error) {
	t, err := c.in(0)
	if err != nil {
		return nil, err
	}
	dims, err := c.dims(0)
	if err != nil {
		return nil, err
	}
	p, err := t.Data()
	if err != nil {
		return nil, err
	}
	before, _ := t.Elements()
	if after, err := tensor.Elements(dims); err != nil || before != after {
		return nil, unable("%d elements in shape %s", before, tensor.FormatShape(dims))
	}
	if err := c.fits(0, t.DType(), dims); err != nil {
		return nil, err
	}
	return []*graphops.Tensor{graphops.NewTensor("", t.DType(), dims, p)}, nil
}

// movements has the operators whose output has the elements of the first input in another order, or
// only some of them, or some repeatedly.
var movements = map[string]operator{
	"Transpose": {1, transpose, true},
	"Expand":    {8, expand, true},
	"Tile":      {6, tile, true},
	"Slice":     {1, slice, true},
}

// strided returns the result of a node whose only output consists of elements of the input from, in
// the order that s describes.
func (c *call) strided(dims []int64, from tensor.Stored, s tensor.Strided) ([]*graphops.Tensor, error) {
	return c.one(from.DType, dims, func(w io.Writer) error { return copyStrided(w, from, s) })
}

func copyStrided(w io.Writer, from tensor.Stored, s tensor.Strided) error {
	r, err := s.Reader(from)
	if err != nil {
		return unable("%w", err)
	}
	_, err = r.WriteTo(w)
	return err
}

func transpose(c *call) ([]*graphops.Tensor, error) {
	from, err := c.stored(0)
	if err != nil {
		return nil, err
	}
	rank := len(from.Shape)
	perm, stated := c.attributeInts("perm")
	if !stated {
		for i := range rank {
			perm = append(perm, int64(rank-1-i))
		}
	}
	if sorted := slices.Sorted(slices.Values(perm)); len(perm) != rank || rank > 0 && (sorted[0] != 0 || sorted[rank-1] != int64(rank-1) || len(slices.Compact(sorted)) != rank) {
		return nil, unable("perm %v of %d axes", perm, rank)
	}
	whole := tensor.Whole(from.Shape)
	s := tensor.Strided{}
	for _, axis := range perm {
		s.Shape = append(s.Shape, whole.Shape[axis])
		s.Strides = append(s.Strides, whole.Strides[axis])
	}
	return c.strided(s.Shape, from, s)
}

func expand(c *call) ([]*graphops.Tensor, error) {
	from, err := c.stored(0)
	if err != nil {
		return nil, err
	}
	dims, err := c.dims(0)
	if err != nil {
		return nil, err
	}
	s, ok := tensor.Repeated(from.Shape, dims)
	if !ok {
		return nil, unable("shape %s expanded to %s", tensor.FormatShape(from.Shape), tensor.FormatShape(dims))
	}
	return c.strided(dims, from, s)
}

func tile(c *call) ([]*graphops.Tensor, error) {
	from, err := c.stored(0)
	if err != nil {
		return nil, err
	}
	dims, err := c.dims(0)
	if err != nil {
		return nil, err
	}
	times, err := c.ints(1)
	if err != nil || len(times) != len(from.Shape) || len(dims) != len(times) {
		return nil, unable("%d repeats of %d axes", len(times), len(from.Shape))
	}
	whole := tensor.Whole(from.Shape)
	s := tensor.Strided{}
	for i, n := range times {
		if d := from.Shape[i]; n < 0 || d == 0 && dims[i] != 0 || d > 0 && (dims[i]%d != 0 || dims[i]/d != n) {
			return nil, unable("%d repeats of %d to %d", n, d, dims[i])
		}
		s.Shape = append(s.Shape, n, from.Shape[i])
		s.Strides = append(s.Strides, 0, whole.Strides[i])
	}
	return c.strided(dims, from, s)
}

func slice(c *call) ([]*graphops.Tensor, error) {
	from, err := c.stored(0)
	if err != nil {
		return nil, err
	}
	s := tensor.Whole(from.Shape)
	cuts, err := c.cuts(len(from.Shape))
	if err != nil {
		return nil, err
	}
	for _, k := range cuts {
		if k.step < 0 && k.end > from.Shape[k.axis] {
			// ONNX Runtime treats the largest integer as a position before the axis
			return nil, unable("a slice backwards to %d", k.end)
		}
		first, size := k.of(from.Shape[k.axis])
		if size > 0 {
			s.Base += first * s.Strides[k.axis]
		}
		s.Shape[k.axis] = size
		if size > 1 {
			s.Strides[k.axis] *= k.step
		}
	}
	return c.strided(s.Shape, from, s)
}

// cut is the range that a Slice takes from one axis.
type cut struct {
	axis             int
	start, end, step int64
}

// sinceSliceInput is the first version in which Slice has its ranges as inputs instead of
// attributes.
const sinceSliceInput = 10

func (c *call) cuts(rank int) ([]cut, error) {
	starts, ok1, err1 := c.intsOr("starts", 1, sinceSliceInput)
	ends, ok2, err2 := c.intsOr("ends", 2, sinceSliceInput)
	axes, ok3, err3 := c.intsOr("axes", 3, sinceSliceInput)
	steps, ok4, err4 := c.intsOr("steps", 4, sinceSliceInput)
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil || !ok1 || !ok2 || len(starts) != len(ends) ||
		ok3 && len(axes) != len(starts) || ok4 && len(steps) != len(starts) || len(starts) > rank {
		return nil, unable("%d starts, %d ends, %d axes, %d steps", len(starts), len(ends), len(axes), len(steps))
	}
	seen := make([]bool, rank)
	out := make([]cut, len(starts))
	for i := range starts {
		k := cut{i, starts[i], ends[i], 1}
		if ok4 {
			k.step = steps[i]
		}
		if ok3 {
			var err error
			if k.axis, err = axis(axes[i], rank); err != nil {
				return nil, err
			}
		}
		if k.step == 0 || seen[k.axis] {
			return nil, unable("steps %v along axes %v", steps, axes)
		}
		seen[k.axis] = true
		out[i] = k
	}
	return out, nil
}

// of returns the index at which the range begins on an axis of the given size, and the number of
// elements in it.
func (k cut) of(size int64) (first, count int64) {
	clamp := func(at, lo, hi int64) int64 {
		if at < 0 {
			at += size
		}
		return max(lo, min(at, hi))
	}
	if k.step > 0 {
		first, end := clamp(k.start, 0, size), clamp(k.end, 0, size)
		if end <= first {
			return 0, 0
		}
		return first, (end-first-1)/k.step + 1
	}
	first, end := clamp(k.start, 0, size-1), clamp(k.end, -1, size-1)
	if first <= end || size == 0 {
		return 0, 0
	}
	if k.step == minInt {
		return first, 1
	}
	return first, (first-end-1)/-k.step + 1
}

const minInt = -1 << 63
