// Package blockwise quantizes weights in blocks: some adjacent numbers share a scale, and each becomes
// an integer of 2, 4 or 8 bits.
//
// There are two layouts. A Matrix is what MatMulNBits of ONNX Runtime reads: the columns of a matrix
// one after the other, packed into bytes. Strips keep the order of the elements, as the standard's
// DequantizeLinear and ONNX Runtime's GatherBlockQuantized read them. The integers, scales and zero
// points are those of onnxruntime.quantization.matmul_nbits_quantizer, bit for bit. A Method says how
// those of a Matrix are found; Strips are rounded to nearest.
// Compensate is GPTQ, which knows from data how the errors of rows add up.
//
// Weights are read as streams of bounded size, and what is computed is written as it is computed.
package blockwise
