// Package workertest lets a test program serve as its own worker, so that tests can run models on
// an installed ONNX Runtime. Only tests import it.
package workertest
