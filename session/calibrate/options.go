package calibrate

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/execution"
)

// Samples are the inputs that a model is run on. A sample may be requested several times and must
// be the same each time.
type Samples interface {
	Len() int
	// Sample returns the name and the inputs of a sample.
	Sample(i int) (name string, in graphops.Feeds, err error)
}

// Session is a part of a model, ready to run.
type Session interface {
	// Run runs the part and yields what each element of want requests, one after another. in has
	// all inputs of the whole model.
	Run(ctx context.Context, in graphops.Feeds, want []execution.Want, yield func(execution.Got) error) error
	Close() error
}

// Loader loads the part of a model that computes some values of its main graph, without
// optimizations, because these change the numbers inside.
type Loader func(ctx context.Context, values []string) (Session, error)

// Options control how ranges are chosen. Options that the method does not use are ignored.
type Options struct {
	Method calibration.Method
	// Symmetric makes the ranges of MinMax symmetric about zero. With Percentile, the histogram
	// counts the magnitudes of the elements.
	Symmetric bool
	// Average makes MinMax use the mean of the samples' smallest elements and the mean of their
	// largest elements, instead of the extremes. If there are several collections, the range moves
	// towards the mean of each further collection by the fraction Constant, from 0 to 1, of the
	// difference.
	Average  bool
	Constant float64
	// Percent is the percentage of elements that Percentile's range includes.
	Percent float64
	// Bins is the number of bins in the histogram of the first collection. Further collections may
	// add bins.
	Bins int
	// EntropyBins is into how many bins Entropy quantizes the histogram. It chooses the range for
	// which the result differs least from the histogram.
	EntropyBins int
	// Cubes makes Distribution assume that the elements are cubes of evenly distributed numbers.
	Cubes bool
	// Collection is how many samples are processed before the histograms are extended; 0 means all
	// of them at once. The bins of the first collection stay. If a later collection has elements
	// outside of them, bins of the same width are added.
	Collection int

	// TooMuch reports whether a load or a run that failed with this error may succeed with fewer
	// values. If so, the values are processed in two halves. It may be nil.
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
		return fmt.Errorf("%d bins; method distribution needs at least %d", o.Bins, calibration.MinDistributionBins)
	case o.Method == calibration.MethodEntropy && (o.EntropyBins < 1 || o.EntropyBins/2 > o.Bins/2):
		return fmt.Errorf("%d quantized bins, expected 1 to %d, the number of bins of the histogram", o.EntropyBins, o.Bins)
	case o.Collection < 0:
		return fmt.Errorf("collections of %d samples, expected 0 for one collection or a number above 0", o.Collection)
	}
	_, err := calibration.ParseMethod(string(o.Method))
	return err
}

// IsMinMax reports whether the method Entropy can only choose the range of all elements, as MinMax
// does. The smallest range that Entropy considers has EntropyBins bins. If the histogram has no
// more bins than that, the whole range is the only candidate.
func (o Options) IsMinMax() bool {
	return o.Method == calibration.MethodEntropy && o.EntropyBins/2 >= o.Bins/2 && o.Collection == 0
}

// passes returns how often the model runs on each sample.
func (o Options) passes() int {
	if o.Method == calibration.MethodMinMax {
		return 1
	}
	return 2
}
