// Package static lowers the precision of models whose activations have known
// ranges: every value that an integer kernel could take is quantized and
// dequantized where it is made (QuantizeLinear and DequantizeLinear, QDQ), or the
// operator of integers itself is written (QLinearConv). Weights are stored as integers,
// biases as int32. It never runs a model; ranges come in a
// calibration.Table, and Wanted says which values one has to hold. Weights are
// read only as streams.
//
// Quantize is equal to onnxruntime.quantization.quantize_static, in the nodes it
// writes and in every bit of the initializers, except where that tool is wrong:
// each such point is a Departure.
//
// # Two phases
//
// Marking goes through the nodes in their order and notes, by the rule of each
// operator (rules.go), which values become integers and whose parameters they
// have. Emission then writes what was noted. Operators of integers (qoperator.go) are
// written in one go, in the order of the nodes.
//
// # Preparing a model
//
// The caller simplifies the model first. What matters to the result are constant
// folding, Constant nodes as initializers, Identity and Dropout out of the way,
// BatchNormalization, Mul and Add folded into a Conv before them, and a MatMul with
// the Add behind it as one Gemm. Nothing that makes operators which no standard
// defines may run before.
//
// # Limits
//
// Values of float16 stay as they are, nodes in bodies and functions too. Types of 8
// bits that float, scales for blocks, and parameters stated for single
// tensors are not written.
package static
