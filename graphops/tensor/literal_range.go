package tensor

import (
	"fmt"
	"math"
)

// checkHeld returns an error if a number changed by more than rounding when it was encoded into the
// tensor, whose type must be a floating-point one. This is so if it became infinite, became the
// largest number of the type, lost its sign, or if a NaN became a number.
func (t *Tensor) checkHeld(values []float64) error {
	held := make([]float64, len(values))
	if err := decodeFloat64(held, t.DType, t.Data); err != nil {
		return err
	}
	largest := t.DType.largest()
	for i, x := range values {
		at := i / t.DType.Components()
		switch h := held[i]; {
		case math.IsInf(x, 0) && h == x:
		case math.Abs(x) > largest:
			return fmt.Errorf("element %d, %v: is outside the range of %s, which ends at %v", at, x, t.DType, largest)
		case math.IsNaN(x) != math.IsNaN(h), x == 0 && h != 0, x < 0 && h > 0:
			return fmt.Errorf("element %d, %v: %s cannot represent this number", at, x, t.DType)
		}
	}
	return nil
}

// largest returns the largest finite number of a floating-point or complex type.
func (d DType) largest() float64 {
	switch d {
	case F32, C64:
		return math.MaxFloat32
	case F64, C128:
		return math.MaxFloat64
	case F16:
		return 65504
	case BF16:
		return 0x1.fep127
	}
	// The remaining types have at most 8 bits. Encoding a larger number gives their largest one.
	var b [1]byte
	var x [1]float64
	encodeFloats(b[:], d, []float64{math.MaxFloat64})
	decodeFloats(x[:], d, b[:])
	return x[0]
}
