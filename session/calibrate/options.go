package calibrate

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/calibration"
)

// Samples are what a model is run on. Each is asked for as often as the method and the
// memory need, and must be the same each time.
type Samples interface {
	Len() int
	// Sample is one of them: what it is called, and what every input is fed.
	Sample(i int) (name string, in graphops.Feeds, err error)
}

// Session is a part of a model, ready to run.
type Session interface {
	// Run yields what is wanted of values, one at a time. It takes feeds of the whole model.
	Run(ctx context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error
	Close() error
}

// Loader loads the part of a model that makes some values of its main graph, without
// optimizations: they change the numbers inside.
type Loader func(ctx context.Context, values []string) (Session, error)

// Options say how ranges are chosen. Those of a method that has no use for them are ignored.
type Options struct {
	Method calibration.Method
	// Symmetric makes MinMax's ranges reach as far to both sides of zero, and has
	// Percentile count magnitudes.
	Symmetric bool
	// Average has MinMax take the mean of the samples' ends in place of the outermost;
	// Constant, from 0 to 1, is by how much of the difference each further collection
	// then moves the range.
	Average  bool
	Constant float64
	// Percent is how many of a hundred elements Percentile's range holds.
	Percent float64
	// Bins is how many bins the histogram of the first collection has.
	Bins int
	// EntropyBins is in how many bins Entropy counts anew.
	EntropyBins int
	// Cubes has Distribution take elements for cubes of what is spread evenly.
	Cubes bool
	// Collection is how many samples are taken in together, 0 for all. A histogram grows
	// from collection to collection, in bins of the first one's width.
	Collection int

	// TooMuch tells of a failed load or run whether less at once may help: then the values
	// are found in two halves, each in runs of its own. It may be nil.
	TooMuch func(error) bool
	// Keep hears the histogram of each value that has one. It may be nil.
	Keep func(value string, h *calibration.Histogram)
	// Progress hears how many runs there were, of how many. It may be nil.
	Progress func(done, total int64)
}

// Defaults are the settings that onnxruntime.quantization.quantize_static has for a method.
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
		return fmt.Errorf("%d bins to count in anew, expected 1 to %d, as many as the histogram has", o.EntropyBins, o.Bins)
	case o.Collection < 0:
		return fmt.Errorf("collections of %d samples", o.Collection)
	}
	_, err := calibration.ParseMethod(string(o.Method))
	return err
}

// IsMinMax reports whether Entropy has no range to choose but that of all elements: its
// candidates begin at as many bins as it counts anew in, and there are no more.
func (o Options) IsMinMax() bool {
	return o.Method == calibration.MethodEntropy && o.EntropyBins/2 >= o.Bins/2 && o.Collection == 0
}

// passes is how often each sample is run.
func (o Options) passes() int {
	if o.Method == calibration.MethodMinMax {
		return 1
	}
	return 2
}
