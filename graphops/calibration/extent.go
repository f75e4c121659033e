package calibration

import (
	"fmt"
	"math"

	"lathe/graphops/tensor"
)

// Extent has the smallest and largest elements of a tensor. NaN elements are only counted.
type Extent struct {
	Elem     tensor.DType // F32 or F16
	Min, Max float64      // NaN if there was no number yet
	// Least and Most are the smallest and largest absolute value; NaN if there was no number yet.
	Least, Most float64
	Count       int64 // of all elements, including NaN
	NaN         int64
}

// NewExtent returns an extent to which no elements have been added.
func NewExtent(elem tensor.DType) Extent {
	nan := math.NaN()
	return Extent{Elem: elem, Min: nan, Max: nan, Least: nan, Most: nan}
}

// Add extends the extent by elements.
func (e *Extent) Add(values []float64) {
	e.Count += int64(len(values))
	for _, x := range values {
		if x != x {
			e.NaN++
			continue
		}
		e.Min, e.Max = lesser(e.Min, x), greater(e.Max, x)
		x = math.Abs(x)
		e.Least, e.Most = lesser(e.Least, x), greater(e.Most, x)
	}
}

// Join returns the extent of the elements of both.
func (e Extent) Join(o Extent) Extent {
	return Extent{
		Elem: e.Elem, Count: e.Count + o.Count, NaN: e.NaN + o.NaN,
		Min: lesser(e.Min, o.Min), Max: greater(e.Max, o.Max),
		Least: lesser(e.Least, o.Least), Most: greater(e.Most, o.Most),
	}
}

// lesser and greater return the smaller and larger of two numbers, ignoring NaN unless both are
// NaN.
func lesser(a, b float64) float64 {
	if a != a || b < a {
		return b
	}
	return a
}

func greater(a, b float64) float64 {
	if a != a || b > a {
		return b
	}
	return a
}

// numbers returns the extent from which bins are made. If there are no elements, it is that of a
// single zero. It returns an error if all elements are NaN or if one is infinite.
func (e Extent) numbers() (Extent, error) {
	switch {
	case e.Count == 0:
		e.Min, e.Max, e.Least, e.Most = 0, 0, 0, 0
	case e.Min != e.Min:
		return e, fmt.Errorf("all %d elements are NaN", e.Count)
	case math.IsInf(e.Min, -1) || math.IsInf(e.Max, 1):
		return e, fmt.Errorf("elements go from %v to %v; no range of integers covers an infinity", e.Min, e.Max)
	}
	return e, nil
}
