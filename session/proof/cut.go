package proof

import (
	"fmt"
	"slices"

	"lathe/graphops/tensor"
)

// layout views a tensor as blocks before an axis, the elements along it, and the elements behind
// each of them.
type layout struct{ blocks, size, behind int64 }

func layoutOf(shape []int64, axis int) (layout, error) {
	blocks, err := tensor.Elements(shape[:axis])
	if err != nil {
		return layout{}, err
	}
	behind, err := tensor.Elements(shape[axis+1:])
	return layout{blocks, shape[axis], behind}, err
}

// Cut returns the part of a tensor from lo up to, not including, hi along an axis.
func Cut(t tensor.Tensor, axis int, lo, hi int64) (tensor.Tensor, error) {
	if err := t.Check(); err != nil {
		return tensor.Tensor{}, err
	}
	if axis < 0 || axis >= len(t.Shape) || lo < 0 || hi < lo || hi > t.Shape[axis] {
		return tensor.Tensor{}, fmt.Errorf("%d to %d along axis %d of shape %s", lo, hi, axis, tensor.FormatShape(t.Shape))
	}
	l, err := layoutOf(t.Shape, axis)
	if err != nil {
		return tensor.Tensor{}, err
	}
	out := tensor.Tensor{DType: t.DType, Shape: slices.Clone(t.Shape)}
	out.Shape[axis] = hi - lo
	grow(&out, l.blocks*(hi-lo)*l.behind)
	for b := range l.blocks {
		if err := appendElements(&out, t, (b*l.size+lo)*l.behind, (b*l.size+hi)*l.behind); err != nil {
			return tensor.Tensor{}, err
		}
	}
	return out, nil
}

// Join concatenates tensors along an axis. They must have the same type, and the same shape except
// for that axis.
func Join(parts []tensor.Tensor, axis int) (tensor.Tensor, error) {
	first := parts[0]
	out := tensor.Tensor{DType: first.DType, Shape: slices.Clone(first.Shape)}
	out.Shape[axis] = 0
	var layouts []layout
	for _, t := range parts {
		if err := t.Check(); err != nil {
			return tensor.Tensor{}, err
		}
		l, err := layoutOf(t.Shape, axis)
		if err != nil {
			return tensor.Tensor{}, err
		}
		layouts = append(layouts, l)
		out.Shape[axis] += t.Shape[axis]
	}
	if n, err := tensor.Elements(out.Shape); err == nil {
		grow(&out, n)
	}
	for b := range layouts[0].blocks {
		for i, t := range parts {
			n := layouts[i].size * layouts[i].behind
			if err := appendElements(&out, t, b*n, (b+1)*n); err != nil {
				return tensor.Tensor{}, err
			}
		}
	}
	return out, nil
}

// grow takes memory for n elements, so that a tensor that is made in parts is not copied as it grows.
func grow(t *tensor.Tensor, n int64) {
	if t.DType == tensor.String {
		t.Strings = make([]string, 0, n)
	} else if size, err := t.DType.ByteLen(n); err == nil {
		t.Data = make([]byte, 0, size)
	}
}

// join concatenates tensors of one shape along an axis, one after another, so that not all of them
// have to exist at once.
type join struct {
	out    tensor.Tensor
	axis   int
	single layout
	shape  []int64
	have   int64 // tensors so far
}

// newJoin begins a concatenation of n tensors like the given one.
func newJoin(like tensor.Tensor, axis int, n int64) (*join, error) {
	j := &join{axis: axis, shape: like.Shape, out: tensor.Tensor{DType: like.DType, Shape: slices.Clone(like.Shape)}}
	var err error
	if j.single, err = layoutOf(like.Shape, axis); err != nil {
		return nil, err
	}
	j.out.Shape[axis] *= n
	elements, err := tensor.Elements(j.out.Shape)
	if err != nil {
		return nil, err
	}
	grow(&j.out, elements)
	j.out.Data, j.out.Strings = j.out.Data[:cap(j.out.Data)], j.out.Strings[:cap(j.out.Strings)]
	return j, nil
}

// add copies the next tensor.
func (j *join) add(t tensor.Tensor) error {
	if err := t.Check(); err != nil {
		return err
	}
	if t.DType != j.out.DType || !slices.Equal(t.Shape, j.shape) {
		return fmt.Errorf("%s %s cannot be joined with %s %s", t.DType, tensor.FormatShape(t.Shape), j.out.DType, tensor.FormatShape(j.shape))
	}
	n := j.single.size * j.single.behind
	bits := int64(t.DType.Bits())
	if n*bits%8 != 0 {
		return fmt.Errorf("%d elements of %s do not fill whole bytes", n, t.DType)
	}
	for b := range j.single.blocks {
		to := (b*j.out.Shape[j.axis] + j.have*j.single.size) * j.single.behind
		if t.DType == tensor.String {
			copy(j.out.Strings[to:], t.Strings[b*n:(b+1)*n])
		} else {
			copy(j.out.Data[to*bits/8:], t.Data[b*n*bits/8:(b+1)*n*bits/8])
		}
	}
	j.have++
	return nil
}

// appendElements copies elements. For types of less than a byte, the range must start and end at a
// byte.
func appendElements(out *tensor.Tensor, from tensor.Tensor, lo, hi int64) error {
	if from.DType == tensor.String {
		out.Strings = append(out.Strings, from.Strings[lo:hi]...)
		return nil
	}
	bits := int64(from.DType.Bits())
	if lo*bits%8 != 0 || hi*bits%8 != 0 {
		return fmt.Errorf("elements %d to %d of %s do not begin and end with a byte", lo, hi, from.DType)
	}
	out.Data = append(out.Data, from.Data[lo*bits/8:hi*bits/8]...)
	return nil
}
