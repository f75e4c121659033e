// Package onnxpb has the ONNX messages as generated Go structs. Lathe reads and writes models with
// its own decoder, which does not load weights. These structs load a model completely. Only tests
// import them, to compare the decoder and encoder with.
package onnxpb

//go:generate go run lathe/graphops/onnxpb/protogen -package lathe/graphops/onnxpb onnx.proto
