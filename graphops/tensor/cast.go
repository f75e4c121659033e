package tensor

import (
	"fmt"
	"io"
	"math"
)

// Castable reports whether Cast supports these types.
func Castable(from, to DType) bool { return castable(from) && castable(to) }

func castable(d DType) bool {
	switch d.Kind() {
	case KindFloat:
		return d.Bits() >= 16
	case KindSigned, KindUnsigned, KindBool:
		return d.Bits() >= 8
	}
	return false
}

// Cast writes the elements of a tensor as another type, with the same results as ONNX Runtime.
// Integers lose their high bits, and floats their fraction. A conversion to 16-bit floats first
// rounds to f32, so the result can differ from that of a single rounding. NaN and numbers outside
// the range of an integer type give ErrInexact. As a bool, NaN is true.
func Cast(w io.Writer, to DType, from Stored) error {
	if !Castable(from.DType, to) {
		return fmt.Errorf("elements of type %s cannot be cast to %s", from.DType, to)
	}
	in, err := newOperand(from, from.Shape)
	if err != nil {
		return err
	}
	part := func(dst []byte, n int) error { return castInts(dst, to, in, n) }
	if from.DType.Kind() == KindFloat {
		part = func(dst []byte, n int) error { return castFloats(dst, to, in, n) }
	}
	return inParts(w, to, from.Shape, part)
}

func castFloats(dst []byte, to DType, in *operand, n int) error {
	list, err := in.nextFloats(n)
	if err != nil {
		return err
	}
	if to.Kind() == KindFloat || to == Bool {
		for i, x := range list {
			switch {
			case to == Bool:
			case x != x:
				return ErrInexact
			case to.Bits() == 16:
				list[i] = float64(float32(x))
			}
		}
		return EncodeFloat64(dst, to, list)
	}
	for i, x := range list {
		x = math.Trunc(x)
		if !to.has(x) {
			return ErrInexact
		}
		if to == U64 {
			putInt(dst, to, i, int64(uint64(x)))
		} else {
			putInt(dst, to, i, int64(x))
		}
	}
	return nil
}

// has reports whether the whole number x is in the range of the integer type d.
func (d DType) has(x float64) bool {
	bits := d.Bits()
	if d.Kind() == KindSigned {
		return x >= -math.Ldexp(1, bits-1) && x < math.Ldexp(1, bits-1)
	}
	return x >= 0 && x < math.Ldexp(1, bits)
}

func castInts(dst []byte, to DType, in *operand, n int) error {
	list, err := in.nextInts(n)
	if err != nil {
		return err
	}
	if to.Kind() == KindFloat {
		return EncodeFloat64(dst, to, floatsOfInts(list, in.d, to))
	}
	for i, x := range list {
		if to == Bool && x != 0 {
			x = 1
		}
		putInt(dst, to, i, x) // the low bits
	}
	return nil
}

// floatsOfInts converts integers to floats. If the type to has at most the precision of f32, it
// first rounds to f32.
func floatsOfInts(list []int64, from, to DType) []float64 {
	out := make([]float64, len(list))
	for i, x := range list {
		switch {
		case from == U64 && to == F64:
			out[i] = float64(uint64(x))
		case from == U64:
			out[i] = float64(float32(uint64(x)))
		case to == F64:
			out[i] = float64(x)
		default:
			out[i] = float64(float32(x))
		}
	}
	return out
}
