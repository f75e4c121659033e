// Package static quantizes models whose activations have known ranges. In QDQ format, each value
// that an operator on integers could read is quantized and dequantized where it is produced, by a
// pair of QuantizeLinear and DequantizeLinear. In QOperator format, the operators on integers
// themselves are written, such as QLinearConv. Weights are stored as integers, and biases as int32.
// The package never runs a model: ranges come from a calibration.Table, and Wanted returns the
// values that it must contain. Weights are read only as streams.
//
// Quantize gives the same nodes and the same bits of all initializers as
// onnxruntime.quantization.quantize_static, except where that tool is wrong. Each such point is a
// Departure.
//
// # Two phases
//
// Marking goes through the nodes in order. The rule of each operator (rules.go) decides which
// values become integers, and which values share scale and zero point. Emission then writes the
// result. In QOperator format (qoperator.go) there are no phases: operators are written in one
// pass, in node order.
//
// # Preparing a model
//
// The caller should simplify the model first. The following affect the result: constant folding;
// Constant nodes turned into initializers; Identity and Dropout removed; BatchNormalization, Mul
// and Add folded into the Conv before them; and a MatMul followed by an Add turned into a Gemm.
// Passes that create operators of no standard must not run before.
//
// # Limits
//
// Float16 values are left unchanged, as are nodes in bodies and in functions. Of the 8-bit floats
// only F8E4M3FN is supported. Scales for blocks are not supported.
package static
