// Package workertest makes a test program its own worker, so that tests run models
// on the ONNX Runtime that is found. Only tests import it.
package workertest
