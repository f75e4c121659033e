package calibrate

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/calibration"
)

// Samples are what a model is run on. Each may be requested several times and must be the same each
// time.
type Samples interface {
	Len() int
	// Sample returns the name and the inputs of a sample.
	Sample(i int) (name string, in graphops.Feeds, err error)
}

// Session is a part of a model, ready to run.
type Session interface {
	// Run yields the results about the wanted values, one at a time. It takes inputs of the whole
	// model.
	Run(ctx context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error
	Close() error
}

// Loader loads the part of a model that computes some values of its main graph, without
// optimizations, because these change the numbers inside.
type Loader func(ctx context.Context, values []string) (Session, error)

// Options control how ranges are chosen. Options that the method does not use are ignored.
type Options struct {
	Method calibration.Method
	// Symmetric makes MinMax's ranges symmetric about zero, and makes Percentile count magnitudes.
	Symmetric bool
	// Average makes MinMax use the mean of the samples' smallest and largest values instead of the
	// extremes. With several collections, Constant, from 0 to 1, is the fraction of the difference
	// by which each further collection moves the range.
	Average  bool
	Constant float64
	// Percent is the percentage of elements that Percentile's range includes.
	Percent float64
	// Bins is the number of bins in the histogram of the first collection.
	Bins int
	// EntropyBins is the number of bins of the quantized distribution that Entropy compares with.
	EntropyBins int
	// Cubes makes Distribution treat elements as cubes of evenly distributed numbers.
	Cubes bool
	// Collection is how many samples are collected together; 0 means all. A histogram grows from
	// collection to collection, with bins as wide as in the first one.
	Collection int

	// TooMuch reports whether a failed load or run may succeed with fewer values. Then the values
	// are processed in two halves, each in its own runs. It may be nil.
	TooMuch func(error) bool
	// Keep is called with the histogram of each value that has one. It may be nil.
	Keep func(value string, h *calibration.Histogram)
	// Progress is called with the number of runs done and their total. It may be nil.
	Progress func(done, total int64)
}

// Defaults returns the defaults of onnxruntime.quantization.quantize_static for a method.
func Defaults(m calibration.Method) Options {
	o := Options{Method: m, Constant: 0.01, Percent: 99.999, Bins: 2048, EntropyBins: 128}
	switch m {
	case calibration.MethodEntropy:
		o.Bins = 128
	case calibration.MethodPercentile:
		o.Symmetric = true
	}
	return o
}

func (o Options) check() error {
	switch {
	case o.Method == calibration.MethodMinMax && !(o.Constant >= 0 && o.Constant <= 1):
		return fmt.Errorf("averaging constant %v, expected a number from 0 to 1", o.Constant)
	case o.Method == calibration.MethodPercentile && !(o.Percent >= 0 && o.Percent <= 100):
		return fmt.Errorf("percentile %v, expected a number from 0 to 100", o.Percent)
	case o.Method == calibration.MethodDistribution && o.Bins < calibration.MinDistributionBins:
		return fmt.Errorf("%d bins, method distribution expects %d at least", o.Bins, calibration.MinDistributionBins)
	case o.Method == calibration.MethodEntropy && (o.EntropyBins < 1 || o.EntropyBins/2 > o.Bins/2):
		return fmt.Errorf("%d bins to requantize into, expected 1 to %d, the number of bins of the histogram", o.EntropyBins, o.Bins)
	case o.Collection < 0:
		return fmt.Errorf("collections of %d samples", o.Collection)
	}
	_, err := calibration.ParseMethod(string(o.Method))
	return err
}

// IsMinMax reports whether Entropy cannot choose anything but the range of all elements. Its
// smallest candidate has EntropyBins bins, so if the histogram has no more bins, the whole range is
// the only candidate.
func (o Options) IsMinMax() bool {
	return o.Method == calibration.MethodEntropy && o.EntropyBins/2 >= o.Bins/2 && o.Collection == 0
}

// passes returns how often each sample is run.
func (o Options) passes() int {
	if o.Method == calibration.MethodMinMax {
		return 1
	}
	return 2
}
