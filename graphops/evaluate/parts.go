package evaluate

import (
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// parts has the operators that join tensors, or return or replace a part of one.
var parts = map[string]operator{
	"Concat": {4, concat, true},
	"Split":  {2, split, true},
	"Pad":    {2, pad, false},
	"Trilu":  {14, trilu, false},
}

// sizes returns the products of the sizes of the axes before and after an axis.
func sizes(shape []int64, axis int) (outer, inner int64) {
	outer, inner = 1, 1
	for _, d := range shape[:axis] {
		outer *= d
	}
	for _, d := range shape[axis+1:] {
		inner *= d
	}
	return outer, inner
}

func concat(c *call) ([]*graphops.Tensor, error) {
	if _, ok := c.Attribute("axis"); !ok {
		return nil, unable("no axis")
	}
	var dims []int64
	var from []tensor.Stored
	var at int
	for i := range c.Inputs {
		s, err := c.stored(i)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			dims = slices.Clone(s.Shape)
			if at, err = axis(c.int("axis", 0), len(dims)); err != nil {
				return nil, err
			}
		} else if s.DType != from[0].DType || !besides(s.Shape, dims, at) {
			return nil, unable("a %s tensor of shape %s next to one of shape %s", s.DType, tensor.FormatShape(s.Shape), tensor.FormatShape(dims))
		} else {
			dims[at] += s.Shape[at]
		}
		from = append(from, s)
	}
	if len(from) == 0 {
		return nil, unable("no inputs")
	}
	return c.one(from[0].DType, dims, func(w io.Writer) error { return writeSideBySide(w, from, at) })
}

// besides reports whether two shapes are equal except for one axis.
func besides(a, b []int64, axis int) bool {
	return len(a) == len(b) && slices.Equal(a[:axis], b[:axis]) && slices.Equal(a[axis+1:], b[axis+1:])
}

func writeSideBySide(w io.Writer, from []tensor.Stored, axis int) error {
	readers := make([]io.Reader, len(from))
	for i, s := range from {
		r, err := tensor.Whole(s.Shape).Reader(s)
		if err != nil {
			return err
		}
		readers[i] = r
	}
	outer, inner := sizes(from[0].Shape, axis)
	size := int64(from[0].DType.Bits() / 8)
	buf := make([]byte, inMemory)
	for range outer {
		for i, r := range readers {
			if err := copyBytes(w, r, from[i].Shape[axis]*inner*size, buf); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyBytes(w io.Writer, r io.Reader, n int64, buf []byte) error {
	for n > 0 {
		b := buf[:min(n, int64(len(buf)))]
		if _, err := io.ReadFull(r, b); err != nil {
			return err
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		n -= int64(len(b))
	}
	return nil
}

// sinceSplitInput is the first version in which Split has the sizes as an input instead of an
// attribute.
const sinceSplitInput = 13

func split(c *call) ([]*graphops.Tensor, error) {
	from, err := c.stored(0)
	if err != nil {
		return nil, err
	}
	at, err := axis(c.int("axis", 0), len(from.Shape))
	if err != nil {
		return nil, err
	}
	list, stated, err := c.intsOr("split", 1, sinceSplitInput)
	if err != nil {
		return nil, err
	}
	if !stated {
		if parts := c.int("num_outputs", int64(len(c.Outputs))); parts != int64(len(c.Outputs)) {
			return nil, unable("%d parts in %d outputs", parts, len(c.Outputs))
		}
		if list = equalParts(from.Shape[at], int64(len(c.Outputs))); len(list) > 1 && list[len(list)-1] == 0 {
			return nil, unable("%d parts of an axis of size %d", len(list), from.Shape[at])
		}
	}
	out := make([]*graphops.Tensor, len(c.Outputs))
	s := tensor.Whole(from.Shape)
	first := int64(0)
	for i := range out {
		if i >= len(list) || list[i] < 0 || list[i] > from.Shape[at]-first {
			return nil, unable("parts %v of an axis of size %d", list, from.Shape[at])
		}
		s.Shape = slices.Clone(s.Shape)
		s.Shape[at], s.Base = list[i], first*s.Strides[at]
		first += list[i]
		if _, ok := c.wanted(i); !ok {
			continue
		}
		part := s
		if out[i], err = c.make(i, from.DType, part.Shape, func(w io.Writer) error { return copyStrided(w, from, part) }); err != nil {
			return nil, err
		}
	}
	if first != from.Shape[at] || len(list) != len(out) {
		return nil, unable("parts %v of an axis of size %d", list, from.Shape[at])
	}
	return out, nil
}

// equalParts divides the size of an axis into parts of equal size. The last parts may be smaller or
// empty.
func equalParts(size, parts int64) []int64 {
	each := (size + parts - 1) / max(parts, 1)
	list := make([]int64, parts)
	for i := range list {
		list[i] = min(each, size)
		size -= list[i]
	}
	return list
}

func trilu(c *call) ([]*graphops.Tensor, error) {
	from, err := c.stored(0)
	if err != nil {
		return nil, err
	}
	rank := len(from.Shape)
	if rank < 2 {
		return nil, unable("%d axes", rank)
	}
	k := int64(0)
	if c.has(1) {
		list, err := c.ints(1)
		if err != nil || len(list) != 1 {
			return nil, unable("diagonal %v", list)
		}
		k = list[0]
	}
	rows, columns := from.Shape[rank-2], from.Shape[rank-1]
	k = max(-rows, min(k, columns))
	upper := c.int("upper", 1) != 0
	size := int64(from.DType.Bits() / 8)
	if columns > maxHeld/size {
		return nil, unable("%d columns", columns)
	}
	return c.one(from.DType, from.Shape, func(w io.Writer) error {
		r, err := tensor.Whole(from.Shape).Reader(from)
		if err != nil {
			return err
		}
		n, _ := tensor.Elements(from.Shape)
		buf := make([]byte, columns*size)
		for i := range n / columns {
			if _, err := io.ReadFull(r, buf); err != nil {
				return err
			}
			at := min(i%rows+k, columns) // the diagonal
			if upper {
				clear(buf[:max(at, 0)*size])
			} else {
				clear(buf[max(min(at+1, columns), 0)*size:])
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
		}
		return nil
	})
}
