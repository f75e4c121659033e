package tensor

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// Tolerance says how far b may be from a. A pair is within the tolerance if |a-b| <= ATol +
// RTol*|a|.
type Tolerance struct {
	RTol float64 `json:"rtol"`
	ATol float64 `json:"atol"`
}

// relFloor returns the smallest number by which an error is divided to get a relative error. Below
// ATol/RTol the absolute tolerance matters, so a relative error has no meaning there. Without a
// relative tolerance it is 1.
func (t Tolerance) relFloor() float64 {
	if t.RTol > 0 {
		return t.ATol / t.RTol
	}
	return 1
}

// Metrics says how far the tensor b is from the tensor a. Numbers are compared one by one; a
// complex element counts as two. Errors, RMS, Cosine and SNR cover the pairs in which both numbers
// are finite. NaN agrees with NaN, and an infinity agrees with the same infinity. Any other pair
// with a number that is not finite is mismatched.
//
// If there are no finite pairs and nothing is mismatched, errors are 0, Cosine is 1 and SNR is
// infinite. If there are none but something is mismatched, all of these are NaN.
type Metrics struct {
	Total      int64 // number of pairs
	Mismatched int64 // number of pairs outside the tolerance
	Finite     int64 // number of pairs in which both are finite

	MaxAbs, MeanAbs float64 // of |a-b|
	MaxRel, MeanRel float64 // of |a-b| / max(|a|, RelFloor)
	RelFloor        float64
	RMS             float64 // root of the mean of (a-b)²
	RMSA            float64 // root of the mean of a²
	Cosine          float64 // Σab/√(Σa²Σb²); 1 if both are all zero, 0 if one is
	SNR             float64 // 10·log10(Σa²/Σ(a-b)²) in dB; +Inf without error

	NaN, Inf                     int64 // pairs with a NaN, or an infinity, on either side
	NaNMismatched, InfMismatched int64 // pairs among these that do not agree

	// ArgmaxRows is the number of rows along the last axis in which the largest element was
	// searched. ArgmaxAgree is the number of these in which it has the same position in a and b. Of
	// equal elements the first counts, and NaN is larger than any number, as in numpy. Rows are
	// counted only in floating-point tensors whose last axis has at least two elements.
	ArgmaxRows, ArgmaxAgree int64
	// TopKRows is the number of rows with more than TopK elements. TopKAgree is the number of these
	// in which the position of a's largest element is among the positions of b's TopK largest
	// elements.
	TopKRows, TopKAgree int64

	// ULP is the distance of pairs in units in the last place; nil unless both sides have the same
	// type, one of f16, bf16, f32, f64, c64 and c128.
	ULP *ULP

	// Used is the largest fraction of the tolerance that the error of a pair reaches. If it is
	// above 1, the pair is mismatched. It is infinite if an error occurs although none is allowed,
	// and for a mismatched pair with a number that is not finite.
	Used  float64
	Worst *Worst // the pair with that fraction; nil if there are no pairs
}

// Worst is the pair that uses the largest fraction of the tolerance.
type Worst struct {
	Index        []int64 // in the shape; a complex element has one more axis
	A, B         float64
	TextA, TextB string // for string tensors
}

// Compare compares b with a under a tolerance, in one pass. Integers (including 64-bit ones), bools
// and strings are compared exactly. It returns an error for different shapes, and for types that
// cannot be compared: a string and a number, a complex and a real number, or u64 and another
// integer type.
func Compare(a, b Tensor, tol Tolerance) (Metrics, error) {
	if !slices.Equal(a.Shape, b.Shape) {
		return Metrics{}, fmt.Errorf("the shapes differ: %s and %s", FormatShape(a.Shape), FormatShape(b.Shape))
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

// CompareReaders is like Compare, for numeric tensors of the given shape that are read from
// streams.
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

// pairUp prepares a comparison of the numbers that two readers read.
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

// checkComparable returns an error if numbers of two types cannot be compared exactly.
func checkComparable(a, b DType) error {
	switch {
	case a.Components() != b.Components(), (a == String) != (b == String):
	case a != b && a.isInteger() && b.isInteger() && (a == U64 || b == U64):
	default:
		return nil
	}
	return fmt.Errorf("elements of type %s and %s cannot be compared", a, b)
}

// compareStrings counts the pairs of different strings.
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

// unravel converts a row-major position to an index for each axis of shape.
func unravel(flat int64, shape []int64) []int64 {
	index := make([]int64, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		index[i] = flat % shape[i]
		flat /= shape[i]
	}
	return index
}
