package simplify

import (
	"strconv"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// filledWith reports whether all elements of a value, which is a constant, are this
// number, and there is one. It reads a constant of any size in pieces, up to where
// one differs.
func filledWith(v *rewrite.Value, number float64) bool {
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
	if !ok {
		return false
	}
	if b, err := strconv.ParseBool(text); err == nil && t.DType() == tensor.Bool {
		return b == (number == 1)
	}
	x, err := strconv.ParseFloat(text, 64)
	return err == nil && x == number
}

// uniform writes the element that all of a tensor are, and reads no further than to
// where one differs.
func uniform(t *graphops.Tensor, count int64) (text string, ok bool) {
	u, err := tensor.NewUniform(t.DType(), count)
	if err != nil {
		return "", false
	}
	p, err := t.Data()
	if err != nil {
		return "", false
	}
	r, buf := p.Reader(), make([]byte, 4096)
	for !u.Differs() {
		n, err := r.Read(buf)
		u.Write(buf[:n]) // never fails
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
