// Package shrink has the steps that make a model smaller or faster and keep what it computes:
// simplify, and optimize, which lets ONNX Runtime or its transformer optimizer rewrite the model.
package shrink
