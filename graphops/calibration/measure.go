package calibration

import (
	"errors"
	"fmt"
	"io"

	"lathe/graphops/tensor"
)

// Takes reports whether tensors of the type can be calibrated.
func Takes(elem tensor.DType) bool { return elem == tensor.F32 || elem == tensor.F16 }

// Measure determines the extent of the elements, if asked for, and counts them in bins, if given,
// in one pass.
func Measure(r *tensor.Reader, elem tensor.DType, extent bool, bins *Bins) (*Extent, []int64, error) {
	if !Takes(elem) {
		return nil, nil, fmt.Errorf("elements of %s have no range to calibrate, those of float32 and float16 do", elem)
	}
	found := NewExtent(elem)
	var counts []int64
	if bins != nil {
		if bins.Elem != elem {
			return nil, nil, fmt.Errorf("bins of %s for elements of %s", bins.Elem, elem)
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
