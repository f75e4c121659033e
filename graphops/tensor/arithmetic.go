package tensor

import (
	"fmt"
	"io"
	"math"
)

// Arithmetic is an operation whose operands and result have the same element type. Its results are
// defined exactly: integers wrap around, and floating-point results are rounded once.
type Arithmetic struct {
	// floats computes in float64, and the result is then rounded to the element type. This second
	// rounding is harmless for types with at most half as many bits: the result has the same bits
	// as if the exact result was rounded once (Figueroa, "When is double rounding innocuous?",
	// 1995).
	floats func(a, b float64) float64
	// ints computes the low bits of an integer result. ok is false if there is no result, as for a
	// division by zero.
	ints func(d DType, a, b int64) (x int64, ok bool)
	// one reports that the operation has one operand instead of two.
	one bool
}

// The operations. Div of integers truncates. The result of Mod has the sign of the second operand,
// and that of Rem the sign of the first. Round rounds half to even.
var (
	Add = Arithmetic{
		floats: func(a, b float64) float64 { return a + b },
		ints:   func(_ DType, a, b int64) (int64, bool) { return a + b, true },
	}
	Sub = Arithmetic{
		floats: func(a, b float64) float64 { return a - b },
		ints:   func(_ DType, a, b int64) (int64, bool) { return a - b, true },
	}
	Mul = Arithmetic{
		floats: func(a, b float64) float64 { return a * b },
		ints:   func(_ DType, a, b int64) (int64, bool) { return a * b, true },
	}
	Div = Arithmetic{
		floats: func(a, b float64) float64 { return a / b },
		ints:   divide,
	}
	Mod   = Arithmetic{ints: modulo}
	Rem   = Arithmetic{floats: math.Mod}
	Least = Arithmetic{
		floats: func(a, b float64) float64 { return either(a, b, a < b) },
		ints:   func(d DType, a, b int64) (int64, bool) { return pick(a, b, d.less(a, b)), true },
	}
	Most = Arithmetic{
		floats: func(a, b float64) float64 { return either(a, b, a > b) },
		ints:   func(d DType, a, b int64) (int64, bool) { return pick(a, b, d.less(b, a)), true },
	}
	BitAnd = Arithmetic{ints: func(_ DType, a, b int64) (int64, bool) { return a & b, true }}
	BitOr  = Arithmetic{ints: func(_ DType, a, b int64) (int64, bool) { return a | b, true }}
	BitXor = Arithmetic{ints: func(_ DType, a, b int64) (int64, bool) { return a ^ b, true }}

	Neg = Arithmetic{
		floats: func(a, _ float64) float64 { return -a },
		ints:   func(_ DType, a, _ int64) (int64, bool) { return -a, true },
		one:    true,
	}
	Abs = Arithmetic{
		floats: func(a, _ float64) float64 { return math.Abs(a) },
		ints: func(d DType, a, _ int64) (int64, bool) {
			return pick(-a, a, d.Kind() == KindSigned && a < 0), true
		},
		one: true,
	}
	Sqrt  = Arithmetic{floats: func(a, _ float64) float64 { return math.Sqrt(a) }, one: true}
	Floor = Arithmetic{floats: func(a, _ float64) float64 { return math.Floor(a) }, one: true}
	Ceil  = Arithmetic{floats: func(a, _ float64) float64 { return math.Ceil(a) }, one: true}
	Round = Arithmetic{floats: func(a, _ float64) float64 { return math.RoundToEven(a) }, one: true}
	Recip = Arithmetic{floats: func(a, _ float64) float64 { return 1 / a }, one: true}

	Not    = Arithmetic{ints: func(_ DType, a, _ int64) (int64, bool) { return a ^ 1, true }, one: true}
	BitNot = Arithmetic{ints: func(_ DType, a, _ int64) (int64, bool) { return ^a, true }, one: true}
)

// either returns a if first is true, otherwise b. If one of them is NaN, it returns NaN. It also
// does so for zeros of different signs, because implementations differ in which of these is
// smaller.
func either(a, b float64, first bool) float64 {
	switch {
	case a == 0 && b == 0 && math.Signbit(a) != math.Signbit(b), a != a:
		return math.NaN()
	case first:
		return a
	}
	return b
}

func pick[T any](a, b T, first bool) T {
	if first {
		return a
	}
	return b
}

// less compares two integers of type d in the form that decodeInt64 returns.
func (d DType) less(a, b int64) bool {
	if d == U64 {
		return uint64(a) < uint64(b)
	}
	return a < b
}

// divide returns a/b. ok is false for a division by zero and for the lowest integer divided by -1:
// processors raise an exception for these, or the result is undefined in C.
func divide(d DType, a, b int64) (int64, bool) {
	lowest, _ := d.intRange()
	switch {
	case b == 0, b == -1 && a == lowest && d.Kind() == KindSigned:
		return 0, false
	case d == U64:
		return int64(uint64(a) / uint64(b)), true
	}
	return a / b, true
}

func modulo(d DType, a, b int64) (int64, bool) {
	if q, ok := divide(d, a, b); !ok || d == U64 {
		return a - q*b, ok
	}
	x := a % b
	if x != 0 && (x < 0) != (b < 0) {
		x += b
	}
	return x, true
}

// Takes reports whether the operation is defined for elements of a type.
func (op Arithmetic) Takes(d DType) bool {
	switch d.Kind() {
	case KindFloat:
		return op.floats != nil && d.Bits() >= 16
	case KindSigned, KindUnsigned, KindBool:
		return op.ints != nil && d.Bits() >= 8
	}
	return false
}

// Compute applies the operation to the elements of one or more tensors of the same type, all
// broadcast to the shape, and writes the results. With more than two tensors, it combines them from
// left to right. If a result is NaN or undefined, it returns ErrInexact, and the caller must
// discard what was written.
func (op Arithmetic) Compute(w io.Writer, shape []int64, from ...Stored) error {
	d := from[0].DType
	for _, s := range from {
		if !op.Takes(d) || s.DType != d || op.one != (len(from) == 1) && len(from) < 3 {
			return fmt.Errorf("this operation is not supported for elements of type %s", s.DType)
		}
	}
	in, err := operands(shape, from)
	if err != nil {
		return err
	}
	if d.Kind() == KindFloat {
		return inParts(w, d, shape, func(dst []byte, n int) error { return op.floatsOf(dst, d, in, n) })
	}
	return inParts(w, d, shape, func(dst []byte, n int) error { return op.intsOf(dst, d, in, n) })
}

func (op Arithmetic) floatsOf(dst []byte, d DType, in []*operand, n int) error {
	a, err := in[0].nextFloats(n)
	if err != nil {
		return err
	}
	if op.one {
		for i, x := range a {
			a[i] = op.floats(x, 0)
		}
	}
	for _, o := range in[1:] {
		b, err := o.nextFloats(n)
		if err != nil {
			return err
		}
		for i, x := range a {
			a[i] = op.floats(x, b[i])
		}
		if len(in) > 2 { // each step rounds
			if err := EncodeFloat64(dst, d, a); err != nil {
				return err
			}
			if err := decodeFloat64(a, d, dst); err != nil {
				return err
			}
		}
	}
	for _, x := range a {
		if x != x {
			return ErrInexact
		}
	}
	return EncodeFloat64(dst, d, a)
}

func (op Arithmetic) intsOf(dst []byte, d DType, in []*operand, n int) error {
	a, err := in[0].nextInts(n)
	if err != nil {
		return err
	}
	rest := in[1:]
	if op.one {
		rest = in
	}
	for _, o := range rest {
		b := a
		if !op.one {
			if b, err = o.nextInts(n); err != nil {
				return err
			}
		}
		for i, x := range a {
			x, ok := op.ints(d, x, b[i])
			if !ok {
				return ErrInexact
			}
			a[i] = x
		}
	}
	for i, x := range a {
		putInt(dst, d, i, x) // the low bits
	}
	return nil
}
