package simplify

import (
	"strconv"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// filledWith reports whether all elements of a value are always this number, 0 or 1. The value
// is a constant, or one number that was expanded, possibly to a size that depends on the run.
func filledWith(v *rewrite.Value, number float64) bool {
	for range maxFilledBy {
		p := v.Producer()
		switch {
		case p.Is("ConstantOfShape"):
			return madeOf(p, number)
		case p.Is("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Expand", "Tile", "Slice", "Split", "Gather", "Identity"):
			v = p.In(0)
		default:
			return v != nil && constantFilledWith(v, number)
		}
	}
	return false
}

// maxFilledBy is the maximum number of nodes between the number and the tensor.
const maxFilledBy = 16

// madeOf reports whether n is a ConstantOfShape whose value is number.
func madeOf(n *rewrite.Node, number float64) bool {
	a, ok := n.Attribute("value")
	if !ok {
		return number == 0
	}
	t, err := a.Dense("value")
	if err != nil || t.DType() == tensor.String {
		return false
	}
	text, ok := uniform(t, 1)
	return ok && reads(text, number)
}

// reads reports whether the text of an element, as tensors format it, is equal to number.
func reads(text string, number float64) bool {
	switch text {
	case "true":
		return number == 1
	case "false":
		return number == 0
	}
	x, err := strconv.ParseFloat(text, 64)
	return err == nil && x == number
}

// constantFilledWith reports whether a constant has elements and all of them are this number. It
// reads a constant of any size as a stream, and stops at the first difference.
func constantFilledWith(v *rewrite.Value, number float64) bool {
	if list, ok := v.Ints(); ok {
		return len(list) > 0 && allAre(list, number)
	}
	t := v.Constant()
	if t == nil || t.DType() == tensor.String {
		return false
	}
	count, err := t.Elements()
	if err != nil || count == 0 {
		return false
	}
	text, ok := uniform(t, count)
	return ok && reads(text, number)
}

// uniform returns the text of the element that all elements of a tensor are equal to. It stops
// reading at the first difference.
func uniform(t *graphops.Tensor, count int64) (text string, ok bool) {
	u, err := tensor.NewUniform(t.DType(), count)
	if err != nil {
		return "", false
	}
	p, err := t.Data()
	if err != nil {
		return "", false
	}
	r, buf := p.Reader(), make([]byte, min(4096, max(1, p.Len())))
	for !u.Differs() {
		n, err := r.Read(buf)
		_, _ = u.Write(buf[:n]) // never fails
		if err != nil {
			break
		}
	}
	return u.Value()
}

func allAre(list []int64, number float64) bool {
	for _, x := range list {
		if float64(x) != number {
			return false
		}
	}
	return true
}
