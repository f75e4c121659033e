package tensor

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Combination says how two constants are combined into one.
type Combination struct {
	Op CombineOp
	// NegateA and NegateB negate an operand of a sum: -a or -b is added.
	NegateA, NegateB bool
}

// CombineOp is the operation of a Combination.
type CombineOp int

// The operations. Integers have no Quotient.
const (
	Sum CombineOp = iota
	Product
	Quotient
)

// Broadcasts reports whether a tensor of shape from can be broadcast to the shape to.
func Broadcasts(from, to []int64) bool {
	if len(from) > len(to) {
		return false
	}
	to = to[len(to)-len(from):]
	for i, d := range from {
		if d != 1 && d != to[i] {
			return false
		}
	}
	return true
}

// Combine applies an operation to the elements of two tensors of one type, both broadcast to the
// shape. Integers wrap around, as in ONNX. Other numbers are computed in float64 and rounded once.
// The result is a constant that replaces the constants of two successive operations. Combine
// therefore returns an error if this could change the result by more than rounding: if the constant
// would be infinite or NaN, or would have less precision than the operands, because it is close to
// 0 or the operands cancel.
func Combine(a, b Tensor, shape []int64, by Combination) (Tensor, error) {
	n, err := Elements(shape)
	switch {
	case err != nil:
		return Tensor{}, err
	case a.DType != b.DType:
		return Tensor{}, fmt.Errorf("constants of types %s and %s cannot be combined", a.DType, b.DType)
	case !Broadcasts(a.Shape, shape) || !Broadcasts(b.Shape, shape):
		return Tensor{}, fmt.Errorf("shapes %s and %s cannot be broadcast to %s", FormatShape(a.Shape), FormatShape(b.Shape), FormatShape(shape))
	}
	if a.DType.Kind() == KindFloat {
		return combineFloats(a, b, n, shape, by)
	}
	return combineInts(a, b, n, shape, by)
}

func combineFloats(a, b Tensor, n int64, shape []int64, by Combination) (Tensor, error) {
	as, err := a.Float64s()
	if err != nil {
		return Tensor{}, err
	}
	bs, err := b.Float64s()
	if err != nil {
		return Tensor{}, err
	}
	out := make([]float64, n)
	atA, atB := newRepeat(a.Shape, shape), newRepeat(b.Shape, shape)
	for i := range out {
		if out[i], err = by.float(as[atA.next()], bs[atB.next()], a.DType); err != nil {
			return Tensor{}, err
		}
	}
	return FromFloat64s(a.DType, out, slices.Clone(shape)...)
}

// float returns the result for two numbers of type d. It returns an error if the numbers cannot be
// combined.
func (c Combination) float(a, b float64, d DType) (float64, error) {
	if c.NegateA {
		a = -a
	}
	if c.NegateB {
		b = -b
	}
	var x float64
	switch c.Op {
	case Sum:
		if x = a + b; math.Abs(x) < max(math.Abs(a), math.Abs(b))/2 {
			return 0, errors.New("the constants cancel each other, so combining them would change how results are rounded")
		}
		if math.Abs(x) <= d.largest() {
			return x, nil
		}
	case Product:
		x = a * b
	case Quotient:
		x = a / b
	}
	zero := a == 0 || b == 0 && c.Op == Product
	if m := math.Abs(x); !(m <= d.largest()) || m < d.smallestNormal() && !zero {
		return 0, fmt.Errorf("the combined constant would be %v, which %s cannot represent", x, d)
	}
	return x, nil
}

func combineInts(a, b Tensor, n int64, shape []int64, by Combination) (Tensor, error) {
	if by.Op == Quotient || a.DType.Bits() < 8 || a.DType == Bool {
		return Tensor{}, fmt.Errorf("constants of type %s cannot be combined into one", a.DType)
	}
	as, err := a.Int64s()
	if err != nil {
		return Tensor{}, err
	}
	bs, err := b.Int64s()
	if err != nil {
		return Tensor{}, err
	}
	out := Tensor{DType: a.DType, Shape: slices.Clone(shape), Data: make([]byte, n*int64(a.DType.Bits()/8))}
	atA, atB := newRepeat(a.Shape, shape), newRepeat(b.Shape, shape)
	for i := range int(n) {
		putInt(out.Data, a.DType, i, by.int(as[atA.next()], bs[atB.next()])) // the low bits
	}
	return out, nil
}

func (c Combination) int(a, b int64) int64 {
	if c.NegateA {
		a = -a
	}
	if c.NegateB {
		b = -b
	}
	if c.Op == Product {
		return a * b
	}
	return a + b
}

// repeat iterates over the elements of a tensor that is broadcast to a larger shape, in the order
// of that shape.
type repeat struct {
	shape   []int64
	strides []int64 // 0 along broadcast axes
	index   []int64
	at      int64
}

func newRepeat(from, to []int64) *repeat {
	r := &repeat{shape: to, strides: make([]int64, len(to)), index: make([]int64, len(to))}
	stride := int64(1)
	for i := len(from) - 1; i >= 0; i-- {
		if from[i] != 1 {
			r.strides[len(to)-len(from)+i] = stride
		}
		stride *= from[i]
	}
	return r
}

// next returns the position in the tensor of the next element.
func (r *repeat) next() int64 {
	now := r.at
	for i := len(r.shape) - 1; i >= 0; i-- {
		r.index[i]++
		r.at += r.strides[i]
		if r.index[i] < r.shape[i] {
			break
		}
		r.at -= r.strides[i] * r.index[i]
		r.index[i] = 0
	}
	return now
}
