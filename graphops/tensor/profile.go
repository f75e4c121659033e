package tensor

import (
	"errors"
	"io"
	"math"
)

// maxValues is the maximum number of different values of a tensor that are listed.
const maxValues = 256

// Profile describes the numbers of a tensor. It is computed in one pass. All parts except Stats and
// Values cover only the finite numbers.
type Profile struct {
	Stats
	NegInf    int64  `json:"neg_inf"` // how many of Inf are negative
	Zeros     int64  `json:"zeros"`
	Subnormal int64  `json:"subnormal"` // below the smallest normal number of the type, without zeros
	AbsMax    Number `json:"abs_max"`   // NaN if no number is finite
	// MinText and MaxText are Min and Max in the form of ParseLiteral. They are exact even for
	// 64-bit integers. They are empty if no number is finite.
	MinText string `json:"min_text"`
	MaxText string `json:"max_text"`

	Quantiles []Quantile `json:"quantiles"` // at quantileShares; none if no number is finite
	// Distinct is the number of different values. -0 counts as 0, and NaN as one value. Distinct is
	// 0 if the values were not counted, because the type has more than 16 bits and there are more
	// than maxValues of them.
	Distinct int `json:"distinct"`
	// Values lists the different values in ascending order, NaN last. It is nil if there are more
	// than maxValues.
	Values []ValueCount `json:"values,omitempty"`

	Histogram  Histogram  `json:"histogram"`
	Magnitudes Magnitudes `json:"magnitudes"`
}

// ValueCount is a value and how often it occurs.
type ValueCount struct {
	Value Number `json:"value"`
	Text  string `json:"text"` // in the form of ParseLiteral
	Count int64  `json:"count"`
}

// ProfileOf describes a numeric tensor.
func ProfileOf(t Tensor) (Profile, error) {
	r, err := t.Reader()
	if err != nil {
		return Profile{}, err
	}
	return ProfileReader(r)
}

// ProfileReader describes the remaining numbers of r, in one pass and a fixed amount of memory.
func ProfileReader(r *Reader) (Profile, error) {
	c := newCollector(r.dtype)
	for {
		n, err := r.next()
		if errors.Is(err, io.EOF) {
			return c.profile(), nil
		}
		if err == nil {
			err = c.add(r.raw, n)
		}
		if err != nil {
			return Profile{}, err
		}
	}
}

// collector computes a Profile. add processes the next n numbers, which are encoded in raw.
type collector interface {
	add(raw []byte, n int) error
	profile() Profile
}

// newCollector returns a collector for a type. For a type of at most 16 bits it counts how often
// each code occurs, from which everything follows exactly. For other types it examines the numbers.
func newCollector(d DType) collector {
	if d.Bits() <= 16 {
		return newCodes(d)
	}
	return newNumbers(d)
}

// smallestNormal returns the smallest positive number of the type that is not subnormal. It is 0
// for types without subnormal numbers.
func (d DType) smallestNormal() float64 {
	switch d {
	case F32, C64, BF16:
		return 0x1p-126
	case F64, C128:
		return 0x1p-1022
	}
	if f := d.minifloat(); f != nil {
		return math.Ldexp(1, f.emin)
	}
	return 0
}

// minifloat returns the format of a type that has one.
func (d DType) minifloat() *minifloat {
	switch d {
	case F16:
		return &formatF16
	case F8E4M3FN:
		return &formatF8E4M3FN
	case F8E4M3FNUZ:
		return &formatF8E4M3FNUZ
	case F8E5M2:
		return &formatF8E5M2
	case F8E5M2FNUZ:
		return &formatF8E5M2FNUZ
	case F6E2M3:
		return &formatF6E2M3
	case F6E3M2:
		return &formatF6E3M2
	case F4E2M1:
		return &formatF4E2M1
	}
	return nil
}

// formatValue formats a number of type d, or one part of a complex number.
func formatValue(d DType, x float64) string {
	switch {
	case d.isInteger():
		return formatInt(d, int64(x))
	case d == C64:
		d = F32
	case d == C128:
		d = F64
	}
	return formatNumber(d, []float64{x})
}
