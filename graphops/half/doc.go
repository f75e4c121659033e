// Package half converts float32 models to 16 bits: to float16, as the reference,
// onnxruntime.transformers.float16, does except for the Departures, or to bfloat16.
//
// # Values
//
// Each float32 value becomes the target type, with these exceptions: values that a float32 node
// produces, constants that only float32 nodes read, and inputs and outputs that keep their type. If
// a node needs the other type, a Cast is inserted before it, in the graph of the node, once for
// each value, type and graph. No value is rounded and widened again between two float32 nodes.
// Values in bodies and functions are converted in the same way. The nodes of the result are sorted.
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
// Numbers are rounded to the nearest number of the target type, ties to even. In float16 the bounds
// in the options are applied first: numbers that are too small become the smallest number instead
// of 0, and numbers that are too large become the largest number instead of infinity. Both are
// counted. Weights are read once to count such numbers, and converted while they are written, so
// that they are never held in memory.
package half
