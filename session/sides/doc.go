// Package sides compares two sides on the same inputs and judges the difference. A side is a model
// in a worker of ONNX Runtime, the expected outputs of the data, the reference evaluator of the onnx
// package, or PyTorch. A Comparison has the options and does the work; its report says in which
// cases, outputs, layers or modules the sides differ, and why if that is known.
package sides
