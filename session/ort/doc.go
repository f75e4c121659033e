// Package ort finds ONNX Runtime on the machine, installs it, and runs models on it through a
// worker process. It does not load the library itself (package worker does) and builds without cgo.
package ort
