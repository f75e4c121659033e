package blockwise

import (
	"context"
	"fmt"
	"io"
	"math"

	"lathe/graphops/tensor"
)

// Rule says how the numbers of a block become integers.
type Rule struct {
	// Elem is the type of the numbers and of the scales: tensor.F32, tensor.F16 or tensor.BF16.
	Elem tensor.DType
	Bits int // 2, 4 or 8
	// Size is the number of elements in a block. The last block may have fewer.
	Size int64
	// Symmetric puts the zero point into the middle of the integers. There are no zero points then.
	Symmetric bool
}

func (r Rule) full() float32   { return float32(int(1)<<r.Bits - 1) }
func (r Rule) middle() float32 { return float32(int(1) << (r.Bits - 1)) }
func (r Rule) perByte() int64  { return int64(8 / r.Bits) }

// check returns an error if the rule is not one that this package implements.
func (r Rule) check() error {
	if _, ok := widths[r.Elem]; !ok {
		return fmt.Errorf("numbers of type %s cannot be quantized in blocks, expected f32, f16 or bf16", r.Elem)
	}
	if r.Bits != 2 && r.Bits != 4 && r.Bits != 8 {
		return fmt.Errorf("blocks of %d bits are not supported, expected 2, 4 or 8", r.Bits)
	}
	if r.Size < 1 {
		return fmt.Errorf("blocks of %d elements are not possible, expected at least 1", r.Size)
	}
	return nil
}

// Part is one of the tensors that a weight becomes.
type Part uint8

// The parts. A weight that is quantized symmetrically has no zero points.
const (
	Codes Part = iota
	Scales
	ZeroPoints
)

// Measured is what reading a weight once shows.
type Measured struct {
	Scales, ZeroPoints []byte
	// Fits and Iterations are those of a Matrix; reading it again needs less time with them.
	Fits       []Fit
	Iterations int
	Error      tensor.CodeError
	// Low and High are the smallest and the largest number that can be represented, over all blocks.
	Low, High float64
	// Tiny reports that a block has a scale so small that numbers cannot be multiplied with its inverse,
	// and ZeroBlock that all numbers of a block are 0.
	Tiny, ZeroBlock bool
}

// Weight is a weight that can be quantized.
type Weight interface {
	// Len returns the number of bytes of a part.
	Len(part Part) int64
	// Write computes a part and writes it.
	Write(ctx context.Context, w io.Writer, part Part) error
	// Measure reads the weight. It keeps the scales and zero points only if keep is set. If the weight
	// has NaN or an infinity, the error is a *tensor.NotFiniteError, and if the scale of a block is
	// not finite, a *RangeError. progress, if not nil, gets the number of bytes that were read.
	Measure(ctx context.Context, keep bool, progress func(read int64)) (Measured, error)
}

// RangeError says that the range of a block is too wide for a scale.
type RangeError struct {
	Index int64 // the first element of the block, row-major
	Scale float32
}

// Error implements error.
func (e *RangeError) Error() string {
	return fmt.Sprintf("the block at element %d needs the scale %v, which is not finite", e.Index, e.Scale)
}

// grid is the integers of one block.
type grid struct {
	scale float32 // as it is stored
	// inverse is what numbers are multiplied with, zero what is added.
	inverse, zero float32
}

// fit returns the grid for numbers between lo and hi.
func (r Rule) fit(lo, hi float32) grid {
	var g grid
	scale := float32(0)
	if r.Symmetric {
		far := lo
		if abs(hi) > abs(lo) {
			far = hi
		}
		scale, g.zero = -far/r.middle(), r.middle()
	} else {
		lo, hi = min(lo, 0), max(hi, 0)
		scale = (hi - lo) / r.full()
		if scale != 0 {
			g.zero = r.clamp(away(0 - lo/scale))
		}
	}
	g.scale = r.stored(scale)
	if r.Elem != tensor.BF16 { // the reference rounds scales to bfloat16 after it has used them
		scale = g.scale
	}
	if scale != 0 {
		g.inverse = 1 / scale
	}
	return g
}

// clamp returns x as one of the integers.
func (r Rule) clamp(x float32) float32 { return min(max(x, 0), r.full()) }

// stored returns x as it is after it was stored in the type of the scales.
func (r Rule) stored(x float32) float32 {
	if r.Elem == tensor.F32 {
		return x
	}
	return float32(r.Elem.Round(float64(x)))
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// away rounds to the nearest integer, and halves away from 0.
func away(x float32) float32 { return float32(math.Round(float64(x))) }

// even rounds to the nearest integer, and halves to the even one.
func even(x float32) float32 { return float32(math.RoundToEven(float64(x))) }

// bounds returns the smallest and the largest of the numbers.
func bounds(w []float32) (lo, hi float32) {
	lo, hi = math.MaxFloat32, -math.MaxFloat32
	for _, x := range w {
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
	}
	return lo, hi
}

// isFinite reports whether x is neither NaN nor infinite.
func isFinite(x float32) bool { return math.Float32bits(x)&(0xFF<<23) != 0xFF<<23 }
