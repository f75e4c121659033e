// Package half makes a float32 model one of 16 bits: float16, as the reference,
// onnxruntime.transformers.float16, does but for its Departures, or bfloat16.
//
// # What becomes of a value
//
// Every value of float32 is of the target type afterwards, unless a node that stays
// in float32 makes it, only such nodes read it and it is constant, or it is an input
// or output that keeps its type. Where a node wants the other type, a Cast stands in
// front of it, in the graph of the node, once for a value, a type and a graph. Nothing
// is ever rounded and widened again between two nodes that stay in float32. Values in
// bodies and functions are converted like others. Nodes are in an order in which they
// can run.
//
// # What becomes of a node
//
// A node stays in float32 if the options say so, its operator is among KeptOps, nothing
// is known of its operator, or no input or output of it may be of the target type. Of
// one that is converted, the inputs and outputs that the operator's schema allows in
// the target type are of that type, and the others stay. The result is inferred anew
// (package shape): where that contradicts what was planned, the plan gives in.
//
// # What becomes of a number
//
// Numbers become the nearest of the target type, ties to even. In float16 the bounds
// of the options hold first: what is too small becomes the smallest number rather than
// 0, what is too large the largest rather than infinite, and both are counted. Weights
// are converted when they are written: they are read once to be counted, and never held.
package half
