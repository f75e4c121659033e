package evaluate

import (
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// slots returns, for each index tuple of an input, the position of the element at which the part
// that it selects begins. shape is the shape of the data, and batch the number of leading axes that
// data and indices share. width is the length of the tuples.
func (c *call) slots(input int, shape []int64, batch int) (at []int64, width int, err error) {
	t, err := c.in(input)
	if err != nil {
		return nil, 0, err
	}
	dims := t.Dims()
	if len(dims) <= batch || len(shape) < batch || !slices.Equal(dims[:batch], shape[:batch]) || t.DType() != tensor.I64 {
		return nil, 0, unable("indices of type %s %s", t.DType(), tensor.FormatShape(dims))
	}
	list, err := c.ints(input)
	if err != nil {
		return nil, 0, err
	}
	width = int(min(dims[len(dims)-1], maxRank+1))
	if width < 1 || width > len(shape)-batch || len(list) == 0 {
		return nil, 0, unable("indices of shape %s", tensor.FormatShape(dims))
	}
	strides := tensor.Whole(shape).Strides
	each := int64(1) // number of tuples in one batch
	for _, d := range dims[batch : len(dims)-1] {
		each *= d
	}
	for i := 0; i < len(list); i += width {
		position := int64(0)
		if batch > 0 {
			position = int64(i/width) / each * strides[batch-1]
		}
		for k := range width {
			n, err := index(list[i+k], shape[batch+k])
			if err != nil {
				return nil, 0, err
			}
			position += n * strides[batch+k]
		}
		at = append(at, position)
	}
	return at, width, nil
}

func gatherND(c *call) ([]*graphops.Tensor, error) {
	from, err := c.all(0)
	if err != nil {
		return nil, err
	}
	batch := c.int("batch_dims", 0)
	if batch < 0 || batch > maxRank {
		return nil, unable("%d batch dimensions", batch)
	}
	at, width, err := c.slots(1, from.Shape, int(batch))
	if err != nil {
		return nil, err
	}
	indices := c.Inputs[1].Dims()
	rest := from.Shape[int(batch)+width:]
	size, _ := tensor.Elements(rest)
	size *= int64(from.DType.Bits() / 8)
	dims := slices.Concat(indices[:len(indices)-1], rest)
	return c.one(from.DType, dims, func(w io.Writer) error {
		for _, p := range at {
			if _, err := w.Write(from.Data[p*int64(from.DType.Bits()/8):][:size]); err != nil {
				return err
			}
		}
		return nil
	})
}

// scatterND computes a ScatterND whose updates do not overlap. If they do, the result depends on
// the order.
func scatterND(c *call) ([]*graphops.Tensor, error) {
	from, err := c.all(0)
	if err != nil {
		return nil, err
	}
	updates, err := c.all(2)
	if err != nil {
		return nil, err
	}
	if c.text("reduction", "none") != "none" || updates.DType != from.DType {
		return nil, unable("updates of type %s, reduced by %q", updates.DType, c.text("reduction", "none"))
	}
	at, width, err := c.slots(1, from.Shape, 0)
	if err != nil {
		return nil, err
	}
	indices := c.Inputs[1].Dims()
	rest := from.Shape[width:]
	if want := slices.Concat(indices[:len(indices)-1], rest); !slices.Equal(want, updates.Shape) {
		return nil, unable("updates of shape %s for %s", tensor.FormatShape(updates.Shape), tensor.FormatShape(want))
	}
	if sorted := slices.Sorted(slices.Values(at)); len(slices.Compact(sorted)) != len(at) {
		return nil, unable("updates that overwrite each other")
	}
	unit := int64(from.DType.Bits() / 8)
	size, _ := tensor.Elements(rest)
	size *= unit
	return c.one(from.DType, from.Shape, func(w io.Writer) error {
		out := slices.Clone(from.Data)
		for i, p := range at {
			copy(out[p*unit:], updates.Data[int64(i)*size:][:size])
		}
		_, err := w.Write(out)
		return err
	})
}
