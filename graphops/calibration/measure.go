package calibration

import (
	"errors"
	"fmt"
	"io"

	"lathe/graphops/tensor"
)

// Takes reports whether tensors of the element type can be calibrated.
func Takes(elem tensor.DType) bool { return elem == tensor.F32 || elem == tensor.F16 }

// Measure reads all elements once. If extent is set, it returns their extent; otherwise nil. If
// bins is not nil, it returns the counts of the bins; otherwise nil.
func Measure(r *tensor.Reader, elem tensor.DType, extent bool, bins *Bins) (*Extent, []int64, error) {
	if !Takes(elem) {
		return nil, nil, fmt.Errorf("elements of %s have no range to calibrate, expected float32 or float16", elem)
	}
	found := NewExtent(elem)
	var counts []int64
	if bins != nil {
		if bins.Elem != elem {
			return nil, nil, fmt.Errorf("the bins are for %s, but the elements are %s", bins.Elem, elem)
		}
		counts = make([]int64, len(bins.Edges)-1)
	}
	for {
		values, err := r.Float64s()
		switch {
		case errors.Is(err, io.EOF) && extent:
			return &found, counts, nil
		case errors.Is(err, io.EOF):
			return nil, counts, nil
		case err != nil:
			return nil, nil, err
		}
		if extent {
			found.Add(values)
		}
		if bins != nil {
			bins.Count(counts, values)
		}
	}
}
