package calibration

// Departure is a point in which a range differs on purpose from that of the reference,
// onnxruntime.quantization.calibrate.
type Departure string

// The departures. The comments say what the reference, onnxruntime.quantization.calibrate, does,
// and what this package does instead.
const (
	// InvertedRange: Percentile takes the lower edge of a bin as the upper end of the range. If all
	// elements are in that bin, as those of a constant are, the upper end is below the lower end,
	// and the scale becomes negative. Here, the end is moved to the nearest element.
	InvertedRange Departure = "inverted-range"
	// NarrowExtent: calibration fails if the type has fewer numbers between the smallest and the
	// largest element than a histogram has bins. Here, the range is from the smallest to the
	// largest element.
	NarrowExtent Departure = "narrow-extent"
	// InfiniteRange: a value that contains an infinity gets an infinite range, with a scale that
	// turns all of it into 0 or NaN. Here it gets no range, and the table says why.
	InfiniteRange Departure = "infinite-range"
	// NegativeVariance: if all elements are in one bin, rounding can make the variance slightly
	// negative. Its square root, the standard deviation, is then NaN. Here it is 0.
	NegativeVariance Departure = "negative-variance"
	// DroppedRuns: with the option CalibMaxIntermediateOutputs, the reference drops the outputs of
	// earlier runs that it should merge. Here all runs count. There is no such option, because the
	// outputs of runs are never kept.
	DroppedRuns Departure = "dropped-runs"
)

// departures says for each departure what this package does.
var departures = map[Departure]string{
	InvertedRange:    "an end of a percentile's range lies at the nearest element",
	NarrowExtent:     "a value whose elements are too close for bins has the range from its smallest to its largest",
	InfiniteRange:    "a value that goes to infinity has no range",
	NegativeVariance: "a variance that rounding makes negative is 0",
	DroppedRuns:      "all runs count",
}
