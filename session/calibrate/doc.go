// Package calibrate finds the ranges of a model's values over samples, for quantization.
//
// The model runs on one sample after another, without optimizations. A run returns for each value
// only its smallest and largest element, or the number of its elements in each bin of a histogram.
// So a calibration needs the memory of one sample, however many there are. Methods that use
// histograms run every sample twice, because the bins depend on the smallest and largest elements
// over all samples. Package calibration computes the ranges from these numbers. Elements is for
// quantization that needs the values themselves.
package calibrate
