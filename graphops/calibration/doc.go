// Package calibration chooses the range of a tensor that quantization maps to
// integers, from what the tensor held while a model ran on samples.
//
// # Two passes
//
// A histogram needs its range before it can count, and the range is that of all
// samples. So the samples are run twice: once for the Extent of each tensor, once
// to count into Bins that follow from it. Nothing of a run is kept but these, so
// that memory does not grow with the number of samples.
//
// # Equal to the reference
//
// The ranges are those of onnxruntime.quantization.calibrate, bit for bit, under
// numpy of version 2, which computes bins in the type of the data. All arithmetic is
// done in float64 and rounded to that type after each operation, which is what an
// operation of the type itself gives: float64 has more than twice the digits and two.
//
// The method is that of the TensorRT calibrators; Migacz, "8-bit Inference with
// TensorRT" (GTC 2017) has the entropy method.
package calibration
