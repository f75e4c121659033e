package calibrate

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/calibration"
)

// Spread is the distribution of one value over some samples, and the ranges that the methods choose
// for it.
type Spread struct {
	Value   string
	Samples int
	// Histogram counts the elements with their signs, not their magnitudes. It is nil if no method
	// made such a histogram.
	Histogram *calibration.Histogram
	// Ranges has the range that each method chooses. If a method chooses none, Without has the
	// reason.
	Ranges  map[calibration.Method]calibration.Range
	Without map[calibration.Method]string
}

// SpreadOf finds the distribution of one value and the range that each method chooses. It runs one
// calibration for each method, with the options that of returns for it.
func SpreadOf(ctx context.Context, m *graphops.Model, value string, samples Samples, load Loader, of func(calibration.Method) Options) (*Spread, error) {
	s := &Spread{Value: value, Samples: samples.Len(), Ranges: map[calibration.Method]calibration.Range{}, Without: map[calibration.Method]string{}}
	for _, method := range calibration.Methods() {
		o := of(method)
		o.Keep = func(_ string, h *calibration.Histogram) {
			if !h.Magnitudes && (s.Histogram == nil || len(h.Counts) > len(s.Histogram.Counts)) {
				s.Histogram = h
			}
		}
		r, err := Ranges(ctx, m, []string{value}, samples, load, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		if c, ok := r.Table.Tensors[value]; ok {
			s.Ranges[method] = c.Range
		} else {
			s.Without[method] = r.Table.LeftOut[value]
		}
	}
	return s, nil
}

// Saturated returns the fraction of all elements that are outside of a range and would be clamped
// to its ends. For a bin that contains an end of the range, it assumes that the bin's elements are
// evenly distributed. ok is false if nothing was counted.
func (s *Spread) Saturated(r calibration.Range) (share float64, ok bool) {
	if s.Histogram == nil {
		return 0, false
	}
	all, beyond := 0.0, 0.0
	for i, n := range s.Histogram.Counts {
		all += float64(n)
		if n == 0 {
			continue
		}
		low, high := max(s.Histogram.Edges[i], s.Histogram.Min), min(s.Histogram.Edges[i+1], s.Histogram.Max)
		width := high - low
		switch {
		case width > 0:
			out := max(r.Low-low, 0) + max(high-r.High, 0)
			beyond += float64(n) * min(out/width, 1)
		case low < r.Low || low > r.High:
			beyond += float64(n)
		}
	}
	return beyond / max(all, 1), all > 0
}
