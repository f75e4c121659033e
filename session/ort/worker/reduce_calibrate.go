//go:build cgo

package worker

import (
	"errors"
	"fmt"
	"io"

	"lathe/graphops/calibration"
	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
)

// calibrate finds from where to where the elements go, and how many lie in each of some
// bins, in one pass.
func (r reduction) calibrate(extent bool, bins *wire.Bins) error {
	if !extent && bins == nil {
		return nil
	}
	if d := r.tensor.DType; d != tensor.F32 && d != tensor.F16 {
		return fmt.Errorf("elements of %s have no range to calibrate, those of float32 and float16 do", d)
	}
	into, err := wire.DecodeBins(bins)
	if err != nil {
		return err
	}
	if into != nil && into.Elem != r.tensor.DType {
		return fmt.Errorf("bins of %s for elements of %s", into.Elem, r.tensor.DType)
	}
	reader, err := r.reader(r.tensor)
	if err != nil {
		return err
	}
	found := calibration.NewExtent(r.tensor.DType)
	var counts []int64
	if into != nil {
		counts = make([]int64, len(into.Edges)-1)
	}
	for {
		values, err := reader.Float64s()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if extent {
			found.Add(values)
		}
		if into != nil {
			into.Count(counts, values)
		}
	}
	if extent {
		r.part.Extent = &found
	}
	r.part.Counts = counts
	return nil
}
