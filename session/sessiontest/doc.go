// Package sessiontest runs models in tests on the ONNX Runtime that is found. Only tests import
// it. A package that uses it has a TestMain that calls workertest.Main, because its test program
// is also the worker.
package sessiontest
