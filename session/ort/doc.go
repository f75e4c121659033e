// Package ort is everything about ONNX Runtime but the library itself: finding
// one on the machine, installing one, and running models on it through a worker
// process. It loads no library and builds without cgo.
package ort
