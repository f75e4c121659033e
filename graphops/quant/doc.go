// Package quant lowers the precision of models: weights and products in 8-bit
// integers, with what is needed to get back to float32 around them. It never
// runs a model, and reads weights only as streams.
//
// Dynamic is equal to onnxruntime.quantization.quantize_dynamic, in the nodes
// it writes and in every bit of the weights, except where that tool is wrong:
// each such point is a Departure.
//
// What quantizes the nodes of one operator is its family, one file for each
// (op_matmul.go); what becomes of one graph, main or body, is a scope.
package quant
