// Package calibrate finds the ranges of a model's values over samples, for quantization.
//
// A model is run on one sample after the other, unoptimized, and of each value nothing
// comes back but from where to where it goes, or how many of its elements lie in each bin
// of a histogram. So the memory that a calibration takes is that of one sample, however
// many there are. Methods that make histograms run every sample twice, because the bins
// follow from the extent of all samples; package calibration has the arithmetic.
package calibrate
