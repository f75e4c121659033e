package evaluate

import (
	"errors"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// gathers has the operators that use one input as indices into another one. A Gather of strings is
// not computed, because ONNX Runtime loses some of the strings.
var gathers = map[string]operator{
	"Gather":         {1, gather, false},
	"GatherElements": {11, gatherElements, true},
	"GatherND":       {11, gatherND, true},
	"ScatterND":      {11, scatterND, true},
	"OneHot":         {9, oneHot, false},
	"NonZero":        {9, nonZero, false},
}

// indices returns the elements of input i as indices into an axis of the given size. Negative
// indices are converted to positive ones. It returns an error if an index is out of range.
func (c *call) indices(i int, size int64) ([]int64, error) {
	t, err := c.in(i)
	if err != nil {
		return nil, err
	}
	if d := t.DType(); d != tensor.I32 && d != tensor.I64 {
		return nil, unable("indices of type %s", d)
	}
	list, err := c.ints(i)
	if err != nil {
		return nil, err
	}
	for k, at := range list {
		if list[k], err = index(at, size); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func index(at, size int64) (int64, error) {
	if at < -size || at >= size {
		return 0, unable("index %d of %d", at, size)
	}
	if at < 0 {
		at += size
	}
	return at, nil
}

func gather(c *call) ([]*graphops.Tensor, error) {
	from, err := c.stored(0)
	if err != nil {
		return nil, err
	}
	at, err := axis(c.int("axis", 0), len(from.Shape))
	if err != nil {
		return nil, err
	}
	list, err := c.indices(1, from.Shape[at])
	if err != nil {
		return nil, err
	}
	outer, inner := sizes(from.Shape, at)
	piece := inner * int64(from.DType.Bits()/8)
	row := piece * from.Shape[at]
	dims := slices.Concat(from.Shape[:at], c.Inputs[1].Dims(), from.Shape[at+1:])
	_, held := from.Data.(tensor.Memory)
	if !held && piece < inMemory && row > maxHeld {
		return nil, unable("%d bytes for every index in front of the axis", row)
	}
	return c.one(from.DType, dims, func(w io.Writer) error {
		size := min(inMemory, outer*piece) // for one index each
		p := &pieces{w: w, buf: make([]byte, 0, min(inMemory, size*int64(len(list))))}
		if held || piece >= inMemory || row == 0 {
			err = p.gather(from.Data, outer, row, piece, list)
		} else {
			err = p.gatherRead(from.Data, outer, row, piece, list)
		}
		return errors.Join(err, p.flush())
	})
}

func gatherElements(c *call) ([]*graphops.Tensor, error) {
	from, err := c.all(0)
	if err != nil {
		return nil, err
	}
	at, err := axis(c.int("axis", 0), len(from.Shape))
	if err != nil {
		return nil, err
	}
	list, err := c.indices(1, from.Shape[at])
	if err != nil {
		return nil, err
	}
	dims := c.Inputs[1].Dims()
	if len(dims) != len(from.Shape) {
		return nil, unable("indices of shape %s", tensor.FormatShape(dims))
	}
	for i, d := range dims {
		if i != at && d > from.Shape[i] {
			return nil, unable("indices of shape %s", tensor.FormatShape(dims))
		}
	}
	strides := tensor.Whole(from.Shape).Strides
	size := int64(from.DType.Bits() / 8)
	return c.one(from.DType, dims, func(w io.Writer) error {
		out := make([]byte, int64(len(list))*size)
		place := make([]int64, len(dims))
		for i, k := range list {
			position := k * strides[at]
			for axis, p := range place {
				if axis != at {
					position += p * strides[axis]
				}
			}
			copy(out[int64(i)*size:], from.Data[position*size:][:size])
			advance(place, dims)
		}
		_, err := w.Write(out)
		return err
	})
}

// advance moves place to the next position in a tensor of the given shape, in the order of its
// elements.
func advance(place, dims []int64) {
	for i := len(place) - 1; i >= 0; i-- {
		if place[i]++; place[i] < dims[i] {
			return
		}
		place[i] = 0
	}
}

// oneHot computes a OneHot node whose indices are integers. Negative ones count from
// the end in opset 11 and later. In earlier opsets versions of ONNX Runtime disagree about them.
func oneHot(c *call) ([]*graphops.Tensor, error) {
	list, err := c.ints(0)
	if err != nil {
		return nil, err
	}
	if c.Version < 11 && slices.ContainsFunc(list, func(i int64) bool { return i < 0 }) {
		return nil, unable("negative indices before opset 11")
	}
	depth, err := c.ints(1)
	if err != nil || len(depth) != 1 || depth[0] <= 0 || depth[0] > maxSize {
		return nil, unable("depth %v", depth)
	}
	values, err := c.all(2)
	if err != nil || values.Len() != 2 || values.DType.Bits() < 8 {
		return nil, unable("values of shape %s", tensor.FormatShape(values.Shape))
	}
	shape := c.Inputs[0].Dims()
	if len(shape) == 0 {
		return nil, unable("indices that are a scalar")
	}
	at, err := axis(c.int("axis", -1), len(shape)+1)
	if err != nil {
		return nil, err
	}
	dims := slices.Insert(slices.Clone(shape), at, depth[0])
	_, inner := sizes(dims, at)
	size := values.DType.Bits() / 8
	off, on := values.Data[:size], values.Data[size:]
	return c.one(values.DType, dims, func(w io.Writer) error {
		for first := int64(0); first < int64(len(list)); first += inner {
			for k := range depth[0] {
				var row []byte
				for _, i := range list[first : first+inner] {
					if i == k || i < 0 && i+depth[0] == k {
						row = append(row, on...)
					} else {
						row = append(row, off...)
					}
				}
				if _, err := w.Write(row); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func nonZero(c *call) ([]*graphops.Tensor, error) {
	from, err := c.all(0)
	if err != nil {
		return nil, err
	}
	if len(from.Shape) == 0 || from.DType.Kind() == tensor.KindComplex {
		return nil, unable("a scalar")
	}
	list, err := from.Float64s() // the conversion does not turn an integer other than 0 into 0
	if err != nil {
		return nil, err
	}
	place := make([]int64, len(from.Shape))
	found := make([][]int64, len(from.Shape))
	for _, x := range list {
		if x != 0 {
			for axis, p := range place {
				found[axis] = append(found[axis], p)
			}
		}
		advance(place, from.Shape)
	}
	all := tensor.FromSlice(slices.Concat(found...), int64(len(from.Shape)), int64(len(found[0])))
	return c.one(tensor.I64, all.Shape, func(w io.Writer) error {
		_, err := w.Write(all.Data)
		return err
	})
}
