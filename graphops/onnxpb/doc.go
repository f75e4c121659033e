// Package onnxpb holds the ONNX messages as generated Go structs. Lathe reads
// and writes models with a decoder of its own, which leaves weights where they
// lie; these structs load a model whole, so only tests import them, as the
// oracle that decoder and encoder are compared with.
package onnxpb

//go:generate go run lathe/graphops/onnxpb/protogen -package lathe/graphops/onnxpb onnx.proto
