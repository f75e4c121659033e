package evaluate

import (
	"io"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// generators has the operators that create tensors from sizes and numbers.
var generators = map[string]operator{
	"ConstantOfShape": {9, constantOfShape, false},
	"Shape":           {1, shapeOf, true},
	"Size":            {1, sizeOf, true},
	"Range":           {11, rangeOf, false},
}

func constantOfShape(c *call) ([]*graphops.Tensor, error) {
	dims, err := c.ints(0)
	if err != nil || len(dims) > maxRank {
		return nil, unable("a shape of %d axes", len(dims))
	}
	value := tensor.FromSlice([]float32{0}, 1)
	if a, ok := c.Attribute("value"); ok {
		t := a.Tensor()
		if t == nil || t.DType() == tensor.String || t.DType().Bits() < 8 {
			return nil, unable("its value")
		}
		if n, err := t.Elements(); err != nil || n != 1 {
			return nil, unable("a value of shape %s", tensor.FormatShape(t.Dims()))
		}
		if value, err = t.Read(); err != nil {
			return nil, err
		}
	}
	return c.one(value.DType, dims, func(w io.Writer) error {
		n, err := tensor.Elements(dims)
		if err != nil {
			return err
		}
		one := tensor.Stored{DType: value.DType, Data: tensor.Memory(value.Data)}
		return copyStrided(w, one, tensor.Strided{Shape: []int64{n}, Strides: []int64{0}})
	})
}

// list returns the result of a node whose only output has a few i64 elements.
func (c *call) list(dims []int64, list ...int64) ([]*graphops.Tensor, error) {
	if err := c.fits(0, tensor.I64, dims); err != nil {
		return nil, err
	}
	return []*graphops.Tensor{graphops.NewTensorOf("", tensor.FromSlice(list, dims...))}, nil
}

func shapeOf(c *call) ([]*graphops.Tensor, error) {
	t, err := c.in(0)
	if err != nil {
		return nil, err
	}
	dims := t.Dims()
	rank := int64(len(dims))
	clamp := func(at int64) int64 {
		if at < 0 {
			at += rank
		}
		return max(0, min(at, rank))
	}
	first, last := clamp(c.int("start", 0)), clamp(c.int("end", rank))
	if c.Version < sinceShapeSlice {
		first, last = 0, rank
	}
	last = max(first, last)
	return c.list([]int64{last - first}, dims[first:last]...)
}

// sinceShapeSlice is the first version in which Shape has the attributes start and end.
const sinceShapeSlice = 15

func sizeOf(c *call) ([]*graphops.Tensor, error) {
	t, err := c.in(0)
	if err != nil {
		return nil, err
	}
	n, err := t.Elements()
	if err != nil {
		return nil, err
	}
	return c.list([]int64{}, n)
}

// rangeOf computes a Range of integers. A Range of floats is not computed, because its elements
// depend on whether a runtime adds or multiplies.
func rangeOf(c *call) ([]*graphops.Tensor, error) {
	var by [3]int64 // start, limit, delta
	var d tensor.DType
	for i := range by {
		list, err := c.ints(i)
		if err != nil || len(list) != 1 {
			return nil, unable("%d numbers", len(list))
		}
		if t := c.Inputs[i].DType(); i > 0 && t != d {
			return nil, unable("numbers of type %s and %s", d, t)
		}
		by[i], d = list[0], c.Inputs[i].DType()
	}
	start, limit, delta := by[0], by[1], by[2]
	if delta == 0 || max(start, -start, limit, -limit, delta, -delta) > maxSize || min(start, limit, delta) == minInt {
		return nil, unable("a range from %d to %d by %d", start, limit, delta)
	}
	n := int64(0)
	if span := limit - start; span != 0 && (span < 0) == (delta < 0) {
		n = (max(span, -span) + max(delta, -delta) - 1) / max(delta, -delta)
	}
	return c.one(d, []int64{n}, func(w io.Writer) error {
		size := int64(d.Bits() / 8)
		for i := int64(0); i < n; {
			part := make([]int64, min(n-i, inMemory/size))
			for k := range part {
				part[k] = start + (i+int64(k))*delta
			}
			t, err := tensor.FromInt64s(d, part, int64(len(part)))
			if err != nil {
				return unable("%w", err)
			}
			if _, err := w.Write(t.Data); err != nil {
				return err
			}
			i += int64(len(part))
		}
		return nil
	})
}
