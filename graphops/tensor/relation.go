package tensor

import (
	"fmt"
	"io"
	"math"
)

// Relation is a comparison of two elements.
type Relation int

// The relations.
const (
	Equal Relation = iota
	Less
	Greater
	LessOrEqual
	GreaterOrEqual
)

func holds[T int64 | float64](r Relation, a, b T) bool {
	switch r {
	case Less:
		return a < b
	case Greater:
		return a > b
	case LessOrEqual:
		return a <= b
	case GreaterOrEqual:
		return a >= b
	}
	return a == b
}

// Compare compares two tensors of the same type, both broadcast to a shape. It writes a bool for
// each element that says whether the relation holds. It never holds for NaN.
func (r Relation) Compare(w io.Writer, shape []int64, a, b Stored) error {
	if a.DType != b.DType {
		return fmt.Errorf("elements of types %s and %s cannot be compared", a.DType, b.DType)
	}
	in, err := operands(shape, []Stored{a, b})
	if err != nil {
		return err
	}
	of := r.betweenFloats
	if a.DType.isInteger() {
		of = r.betweenInts
	}
	return inParts(w, Bool, shape, func(dst []byte, n int) error { return of(dst, in[0], in[1], n) })
}

func (r Relation) betweenFloats(dst []byte, x, y *operand, n int) error {
	a, err := x.nextFloats(n)
	if err != nil {
		return err
	}
	b, err := y.nextFloats(n)
	if err != nil {
		return err
	}
	for i := range a {
		dst[i] = bit(holds(r, a[i], b[i]))
	}
	return nil
}

func (r Relation) betweenInts(dst []byte, x, y *operand, n int) error {
	a, err := x.nextInts(n)
	if err != nil {
		return err
	}
	b, err := y.nextInts(n)
	if err != nil {
		return err
	}
	flip := int64(0)
	if x.d == U64 { // which has the order of i64 if the highest bit is flipped
		flip = math.MinInt64
	}
	for i := range a {
		dst[i] = bit(holds(r, a[i]^flip, b[i]^flip))
	}
	return nil
}

func bit(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// Choose writes the element of a where when is true, and that of b where it is false. All three
// tensors are broadcast to the shape. It returns ErrInexact if a chosen element is -0, because some
// implementations turn it into 0.
func Choose(w io.Writer, shape []int64, when, a, b Stored) error {
	if when.DType != Bool || a.DType != b.DType {
		return fmt.Errorf("elements of types %s and %s cannot be chosen by elements of type %s", a.DType, b.DType, when.DType)
	}
	in, err := operands(shape, []Stored{when, a, b})
	if err != nil {
		return err
	}
	return inParts(w, a.DType, shape, func(dst []byte, n int) error { return choose(dst, a.DType, in, n) })
}

func choose(dst []byte, d DType, in []*operand, n int) error {
	var raw [3][]byte
	for i, o := range in {
		var err error
		if raw[i], err = o.next(n); err != nil {
			return err
		}
	}
	size := d.Bits() / 8
	for i, yes := range raw[0] {
		x := pick(raw[1], raw[2], yes == 1)[i*size : (i+1)*size]
		if d.Kind() == KindFloat && isMinusZero(x) {
			return ErrInexact
		}
		copy(dst[i*size:], x)
	}
	return nil
}

// isMinusZero reports whether the encoded number x is -0.
func isMinusZero(x []byte) bool {
	last := len(x) - 1
	for _, b := range x[:last] {
		if b != 0 {
			return false
		}
	}
	return x[last] == 0x80
}
