// Package nbits quantizes weights in blocks to 2, 4 or 8 bits, and leaves activations as they are. It
// never runs a model, and reads weights only as streams. GPTQ gets the values of a run from its caller.
//
// The result has the same nodes and the same bits of all weights as that of
// onnxruntime.quantization.matmul_nbits_quantizer with the same method, except where that tool is
// wrong. Each such point is a Departure. Package blockwise computes the integers.
//
// A weight is quantized once for all nodes that read it in the same way. Its codes, scales and zero
// points are initializers of the graph that has the weight, and are computed while the model is saved.
package nbits
