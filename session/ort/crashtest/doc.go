// Package crashtest runs models that ONNX Runtime may not survive. A Trial runs them one after
// the other in a worker, and starts another worker when one ends. An Outcome says how a run
// ended. Only tests import it.
package crashtest
