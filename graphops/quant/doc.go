// Package quant quantizes models: weights and products become 8-bit integers, with nodes around
// them that convert back to float32. It never runs a model, and reads weights only as streams.
//
// Dynamic gives the same nodes and the same bits of all weights as
// onnxruntime.quantization.quantize_dynamic, except where that tool is wrong. Each such point is a
// Departure.
//
// The quantization of one operator's nodes is described by its family, in a file of its own, such
// as op_matmul.go. A scope is the quantization of one graph, which is the main graph or a body.
package quant
