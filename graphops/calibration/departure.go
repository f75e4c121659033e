package calibration

import "lathe/graphops/departure"

// Departure is a point on which a range differs on purpose from that of the reference,
// onnxruntime.quantization.calibrate.
type Departure = departure.Departure

// The departures. Each says what the reference does; what happens here instead follows
// from it.
const (
	// InvertedRange: Percentile takes the lower edge of a bin for the upper end of the
	// range. Where all elements are in that bin, as those of a constant are, the upper end
	// lies below the lower one, and the scale is negative. Here an end lies at the nearest
	// element.
	InvertedRange Departure = "inverted-range"
	// NarrowExtent: elements so close to each other that their type has not as many numbers
	// between them as a histogram has bins end the calibration. Here the range of that value
	// goes from the smallest to the largest.
	NarrowExtent Departure = "narrow-extent"
	// InfiniteRange: a value that goes to infinity gets an infinite range, and with it a
	// scale that makes all of it 0 or NaN. Here it has no range, and the table says why.
	InfiniteRange Departure = "infinite-range"
	// NegativeVariance: of elements that lie in one bin, rounding may make the variance a
	// little less than 0, and its root NaN. Here the deviation is 0 then.
	NegativeVariance Departure = "negative-variance"
	// DroppedRuns: with CalibMaxIntermediateOutputs, runs are dropped instead of merged.
	// Here all count; there is no such option, because nothing of a run is kept.
	DroppedRuns Departure = "dropped-runs"
)

// Departures say for each what happens here.
var Departures = departure.Table{
	InvertedRange:    "an end of a percentile's range lies at the nearest element",
	NarrowExtent:     "a value whose elements are too close for bins has the range from its smallest to its largest",
	InfiniteRange:    "a value that goes to infinity has no range",
	NegativeVariance: "a variance that rounding makes negative is 0",
	DroppedRuns:      "all runs count",
}
