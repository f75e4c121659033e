// Package plugin finds execution providers that are libraries beside ONNX Runtime, such as WebGPU's.
// Since version 1.23 a runtime loads such a library at run time and asks it for its devices.
//
// The package only looks at files. It neither loads a library nor runs the Python code of the
// package that contains it: package worker does the former, in the process that runs the model.
package plugin
