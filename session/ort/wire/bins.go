package wire

import "lathe/graphops/calibration"

// EncodeBins converts histogram bins to the form in which they are sent; nil stays nil. For bins of
// equal width that form contains only their number and the outer edges.
func EncodeBins(b *calibration.Bins) *Bins {
	if b == nil {
		return nil
	}
	out := &Bins{DType: b.Elem, Magnitudes: b.Magnitudes}
	if n := len(b.Edges) - 1; b.IsEven() {
		out.Even, out.First, out.Last = int64(n), b.Edges[0], b.Edges[n]
	} else {
		out.Edges = b.Edges
	}
	return out
}

// DecodeBins decodes what EncodeBins returned; nil stays nil. It returns an error for bins that are
// not valid.
func DecodeBins(b *Bins) (*calibration.Bins, error) {
	if b == nil {
		return nil, nil
	}
	var out calibration.Bins
	var err error
	if b.Even != 0 {
		out, err = calibration.EvenBins(b.DType, b.First, b.Last, int(min(b.Even, 1<<30)))
	} else {
		out, err = calibration.BinsBetween(b.DType, b.Edges)
	}
	out.Magnitudes = b.Magnitudes
	return &out, err
}
