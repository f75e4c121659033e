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
