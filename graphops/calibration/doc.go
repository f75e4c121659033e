// Package calibration chooses the range of a tensor that quantization maps to integers, from the
// values of the tensor in runs on samples.
//
// # Two passes
//
// A histogram needs its range before it can count, and the range depends on all samples. The
// samples are therefore run twice: first to find the Extent of each tensor, then to count into Bins
// derived from it. Nothing else of a run is kept, so memory does not grow with the number of
// samples.
//
// # Equal to the reference
//
// The ranges equal those of onnxruntime.quantization.calibrate bit by bit, under version 2 of
// numpy, which computes bins in the type of the data. Here, all arithmetic is done in float64 and
// rounded to that type after each operation. This gives the same result as an operation in the type
// itself, because float64 has more than twice as many digits plus two.
//
// The methods are those of the TensorRT calibrators. The entropy method is described in Migacz,
// "8-bit Inference with TensorRT" (GTC 2017).
package calibration
