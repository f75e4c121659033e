package tensor

import (
	"fmt"
	"io"
	"math"

	"lathe/graphops/kernels"
)

// Narrowing describes a conversion of float32 to a 16-bit floating-point type. Magnitudes outside
// some bounds are first moved to the nearer bound. All numbers are then rounded to the nearest
// number of the type, with ties to even. NaN, 0 and infinities are preserved.
type Narrowing struct {
	To DType // F16 or BF16
	// MinPositive, if not 0, is the lower bound of magnitudes. Smaller numbers other than 0 are
	// raised to it.
	MinPositive float32
	// MaxFinite, if not 0, is the upper bound of magnitudes. Larger numbers other than infinities
	// are lowered to it.
	MaxFinite float32
}

// Narrowed counts the numbers that a Narrowing changes by more than rounding to 16 bits.
type Narrowed struct {
	Elements int64
	kernels.Changes
}

// Changed returns how many numbers changed by more than rounding.
func (n Narrowed) Changed() int64 { return n.Raised + n.Lowered + n.Vanished + n.Infinite }

// Write reads n float32s from src and writes them to dst as numbers of type To. It returns the
// changes that it made, which are not complete if it fails.
func (r Narrowing) Write(dst io.Writer, src io.Reader, n int64) (Narrowed, error) {
	k, err := r.kernel()
	if err != nil {
		return Narrowed{}, err
	}
	sums, b := make([]kernels.Changes, workersFor(n)), r.bounds()
	err = convertFloat32(dst, src, n, func(worker int, c chunk) ([]byte, error) {
		out := c.room[:len(c.raw)/2]
		sums[worker] = sums[worker].Plus(k.convert(out, c.raw, b))
		return out, nil
	})
	return narrowed(n, sums), err
}

// Count reads n float32s from src and returns the changes that Write would make.
func (r Narrowing) Count(src io.Reader, n int64) (Narrowed, error) {
	k, err := r.kernel()
	if err != nil {
		return Narrowed{}, err
	}
	sums, b := make([]kernels.Changes, workersFor(n)), r.bounds()
	err = scanFloat32(src, n, len(sums), func(worker int, _ int64, raw []byte) error {
		sums[worker] = sums[worker].Plus(k.count(raw, b))
		return nil
	})
	return narrowed(n, sums), err
}

// narrowed returns what several workers have counted in n numbers.
func narrowed(n int64, sums []kernels.Changes) Narrowed {
	out := Narrowed{Elements: n}
	for _, c := range sums {
		out.Changes = out.Plus(c)
	}
	return out
}

// Clamp reads n float32s from src, moves them into the bounds, and writes them to dst as float32s.
// It does not round them to 16 bits.
func (r Narrowing) Clamp(dst io.Writer, src io.Reader, n int64) error {
	b := r.bounds()
	return convertFloat32(dst, src, n, func(_ int, c chunk) ([]byte, error) {
		for i := range len(c.raw) / 4 {
			le.PutUint32(c.room[4*i:], b.Move(le.Uint32(c.raw[4*i:])))
		}
		return c.room, nil
	})
}

func (r Narrowing) bounds() kernels.Bounds {
	b := kernels.Bounds{Least: math.Float32bits(r.MinPositive), Most: kernels.Infinity - 1}
	if r.MaxFinite != 0 {
		b.Most = math.Float32bits(r.MaxFinite)
	}
	return b
}

// narrowKernel has the loops for a type.
type narrowKernel struct {
	convert func(out, raw []byte, b kernels.Bounds) kernels.Changes
	count   func(raw []byte, b kernels.Bounds) kernels.Changes
}

func (r Narrowing) kernel() (narrowKernel, error) {
	switch r.To {
	case F16:
		return narrowKernel{kernels.Float16, kernels.CountFloat16}, nil
	case BF16:
		return narrowKernel{kernels.Bfloat16, kernels.CountBfloat16}, nil
	}
	return narrowKernel{}, fmt.Errorf("float32 cannot be narrowed to %s, expected f16 or bf16", r.To)
}
