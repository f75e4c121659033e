//go:build cgo

package worker

import (
	"errors"

	"lathe/graphops/calibration"
	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
)

// calibrate computes the smallest and largest element if extent is set, and how many elements are
// in each of the bins if bins is not nil. It does both in one pass over the elements.
func (r reduction) calibrate(extent bool, bins *wire.Bins) error {
	if !extent && bins == nil {
		return nil
	}
	into, err := wire.DecodeBins(bins)
	if err != nil {
		return err
	}
	if r.tensor.DType == tensor.String {
		return errors.New("a string tensor has no range to calibrate")
	}
	reader, err := r.reader(r.tensor)
	if err != nil {
		return err
	}
	r.part.Extent, r.part.Counts, err = calibration.Measure(reader, r.tensor.DType, extent, into)
	return err
}
