package tensor

import (
	"math"
	"slices"
)

// quantileShares are the shares of the numbers for which a Profile has quantiles.
var quantileShares = [...]float64{0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999}

// Quantile is the number below which a share of the finite numbers lies. It is interpolated between
// two neighbouring numbers, as in numpy.
//
// It is exact for types of at most 16 bits, and if there are at most maxValues different values.
// Otherwise its error is at most the width of a bucket (1/128 of its magnitude) or of a bin of the
// histogram, whichever is smaller.
type Quantile struct {
	Share float64 `json:"share"`
	Value Number  `json:"value"`
}

// exactQuantiles computes the quantiles from all values, which must be in ascending order.
func exactQuantiles(values []ValueCount) []Quantile {
	ends := make([]int64, len(values)) // how many numbers there are up to each value
	total := int64(0)
	for i, v := range values {
		total += v.Count
		ends[i] = total
	}
	if total == 0 {
		return nil
	}
	nth := func(at int64) float64 {
		i, _ := slices.BinarySearch(ends, at+1)
		return float64(values[i].Value)
	}
	out := make([]Quantile, len(quantileShares))
	for i, share := range quantileShares {
		at := share * float64(total-1)
		below := int64(at)
		a, b := nth(below), nth(min(below+1, total-1))
		out[i] = Quantile{share, Number(a + (b-a)*(at-float64(below)))}
	}
	return out
}

// quantiles estimates the quantiles. For each one it finds the bucket and the histogram bin in
// which it lies, and uses the narrower of the two.
func (c *numbers) quantiles() []Quantile {
	total := c.summary.finite
	if total == 0 {
		return nil
	}
	buckets, bins := c.magnitudes.intervals(c.zeros), c.linear.intervals()
	out := make([]Quantile, len(quantileShares))
	for i, share := range quantileShares {
		at := share * float64(total-1)
		x, width := locate(buckets, at)
		if y, narrower := locate(bins, at); narrower < width {
			x = y
		}
		if c.dtype.isInteger() {
			x = math.Floor(x)
		}
		out[i] = Quantile{share, Number(min(max(x, c.summary.min), c.summary.max))}
	}
	return out
}

// locate estimates the number at position at of the sorted numbers. It assumes that the numbers of
// an interval are evenly spread in it. width is the width of that interval.
func locate(list []interval, at float64) (x, width float64) {
	before := int64(0)
	for _, v := range list {
		if at < float64(before+v.count) {
			inside := (at - float64(before) + 0.5) / float64(v.count)
			return v.lo + (v.hi-v.lo)*min(inside, 1), v.hi - v.lo
		}
		before += v.count
	}
	return math.NaN(), math.Inf(1)
}

// intervals returns the nonempty bins in ascending order.
func (l *linear) intervals() []interval {
	h := l.histogram()
	var out []interval
	for i, n := range h.Counts {
		if n > 0 {
			out = append(out, interval{h.Edge(i), h.Edge(i + 1), n})
		}
	}
	return out
}
