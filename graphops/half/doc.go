// Package half converts float32 models to 16 bits: to float16, as the reference
// onnxruntime.transformers.float16 does except for the differences in docs/half.md, or to bfloat16.
// Below, the target type is the one of these two that is requested, and a float32 node is a node
// that is not converted.
//
// # Values
//
// Each float32 value gets the target type, except values that a float32 node produces, constants
// that only float32 nodes read, and inputs and outputs that keep their type. If a node needs a
// value in the other type, a Cast is inserted before it in the same graph. There is only one Cast
// for each value, type and graph. A value that one float32 node passes to another stays in float32
// and is not rounded in between. Values in bodies and functions are converted in the same way. The
// nodes of the result are in topological order.
//
// # Nodes
//
// A node stays in float32 if the options say so, if its operator is in KeptOps or unknown, or if
// none of its inputs and outputs can have the target type. For any other node, the inputs and
// outputs that the operator's schema allows in the target type get that type, and the others stay.
// Shape inference (package shape) is then run on the result. If it contradicts the plan, the plan
// is revised.
//
// # Numbers
//
// Numbers are rounded to the nearest number of the target type, ties to even. For float16 the
// bounds in the options are applied first: numbers that are too small become the smallest number
// instead of 0, and numbers that are too large become the largest number instead of infinity. Both
// are counted. Weights are read once for this count, and again when the result is written. They are
// converted while they are read, so that large ones are never held in memory.
package half
