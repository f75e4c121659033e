package tensor

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// Tolerance says how far b may be from a: |a-b| <= ATol + RTol*|a|.
type Tolerance struct {
	RTol float64 `json:"rtol"`
	ATol float64 `json:"atol"`
}

// relFloor is the smallest denominator of a relative error. Below ATol/RTol the
// absolute tolerance rules and a relative error says nothing. Without a
// relative tolerance errors are relative to at least 1.
func (t Tolerance) relFloor() float64 {
	if t.RTol > 0 {
		return t.ATol / t.RTol
	}
	return 1
}

// Metrics tells how far b is from a. Numbers are compared one by one; a complex
// element counts as two. Errors, RMS, Cosine and SNR look at the pairs of which
// both are finite; NaN agrees with NaN and an infinity with the same infinity,
// any other pair that is not finite is mismatched.
//
// Where there are no finite pairs, errors are 0, Cosine is 1 and SNR infinite
// if nothing is mismatched, and all of them NaN otherwise.
type Metrics struct {
	Total      int64 // pairs
	Mismatched int64 // pairs outside the tolerance
	Finite     int64 // pairs of which both are finite

	MaxAbs, MeanAbs float64 // of |a-b|
	MaxRel, MeanRel float64 // of |a-b| / max(|a|, RelFloor)
	RelFloor        float64
	RMS             float64 // root of the mean of (a-b)²
	RMSA            float64 // root of the mean of a²
	Cosine          float64 // Σab/√(Σa²Σb²); 1 if both are all zero, 0 if one is
	SNR             float64 // 10·log10(Σa²/Σ(a-b)²) in dB; +Inf without error

	NaN, Inf                     int64 // pairs with a NaN, an infinity on either side
	NaNMismatched, InfMismatched int64 // of these, the ones where the other side differs

	// ArgmaxRows counts the rows along the last axis whose largest element was
	// looked for, ArgmaxAgree those where it is the same in a and b. The first of
	// equal elements counts, and a NaN is larger than any number, as in numpy.
	// Rows are counted in floating-point tensors whose last axis has at least two
	// elements.
	ArgmaxRows, ArgmaxAgree int64
	// TopKRows counts the rows of more than TopK elements, TopKAgree those in which
	// the position of a's largest is among those of b's TopK largest, in the same
	// order of elements.
	TopKRows, TopKAgree int64

	// ULP is how far apart pairs are in units in the last place; nil unless both
	// sides have the same type of f16, bf16, f32, f64, c64 and c128.
	ULP *ULP

	// Used is the largest share of the tolerance that a pair takes: above 1 it is
	// mismatched; infinite where no error is allowed or a pair is not finite.
	Used  float64
	Worst *Worst // the pair that takes it; nil if there are no pairs
}

// Worst is the pair of a comparison that is farthest apart.
type Worst struct {
	Index        []int64 // in the shape; a complex element has one more axis
	A, B         float64
	TextA, TextB string // of string tensors
}

// Compare compares b with a under a tolerance in one pass. Integers, bools and
// strings are exact at tolerance zero, 64-bit integers included. Different
// shapes, a string against a number, complex against real, and u64 against
// another integer type are errors.
func Compare(a, b Tensor, tol Tolerance) (Metrics, error) {
	if !slices.Equal(a.Shape, b.Shape) {
		return Metrics{}, fmt.Errorf("shape %s against %s", FormatShape(a.Shape), FormatShape(b.Shape))
	}
	if err := errors.Join(a.Check(), b.Check()); err != nil {
		return Metrics{}, err
	}
	if err := checkComparable(a.DType, b.DType); err != nil {
		return Metrics{}, err
	}
	if a.DType == String {
		return compareStrings(a, b), nil
	}
	ra, err := a.Reader()
	if err != nil {
		return Metrics{}, err
	}
	rb, err := b.Reader()
	if err != nil {
		return Metrics{}, err
	}
	return CompareReaders(ra, rb, a.Shape, tol)
}

// CompareReaders is Compare for numeric tensors of the given shape that are
// read from a stream.
func CompareReaders(a, b *Reader, shape []int64, tol Tolerance) (Metrics, error) {
	c, err := pairUp(a, b, shape, tol)
	if err != nil {
		return Metrics{}, err
	}
	for {
		err := c.step(a, b)
		if errors.Is(err, io.EOF) {
			return c.metrics(), nil
		}
		if err != nil {
			return Metrics{}, err
		}
	}
}

// pairUp begins a comparison of what two readers give.
func pairUp(a, b *Reader, shape []int64, tol Tolerance) (*comparison, error) {
	if err := checkComparable(a.dtype, b.dtype); err != nil {
		return nil, err
	}
	n, err := Elements(shape)
	if err != nil {
		return nil, err
	}
	if n *= int64(a.dtype.Components()); a.left != n || b.left != n {
		return nil, fmt.Errorf("the tensors have %d and %d numbers, which do not both fit shape %s", a.left, b.left, FormatShape(shape))
	}
	return newComparison(a.dtype, b.dtype, shape, tol), nil
}

// checkComparable reports whether numbers of two types can be compared without
// losing what sets them apart.
func checkComparable(a, b DType) error {
	switch {
	case a.Components() != b.Components(), (a == String) != (b == String):
	case a != b && a.isInteger() && b.isInteger() && (a == U64 || b == U64):
	default:
		return nil
	}
	return fmt.Errorf("elements of type %s and %s cannot be compared", a, b)
}

// compareStrings counts the pairs of strings that differ.
func compareStrings(a, b Tensor) Metrics {
	m := Metrics{Total: int64(len(a.Strings))}
	for i, s := range a.Strings {
		if s == b.Strings[i] {
			continue
		}
		m.Mismatched++
		if m.Worst == nil {
			m.Worst = &Worst{Index: unravel(int64(i), a.Shape), TextA: s, TextB: b.Strings[i]}
		}
	}
	return m
}

// unravel turns a position in row-major order into an index.
func unravel(flat int64, shape []int64) []int64 {
	index := make([]int64, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		index[i] = flat % shape[i]
		flat /= shape[i]
	}
	return index
}
