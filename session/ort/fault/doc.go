// Package fault interprets the error texts of ONNX Runtime. From the text of a refused model, or of
// a run that failed, it extracts facts and finds the node that they are about.
//
// Parse extracts the facts and needs no model. Locate finds the node and the value that they are
// about in a model. Again reports whether a second attempt without graph optimizations would show
// which node of the model is at fault. Bisect finds the node at which a model crashes. The package
// does not use a worker: its callers pass in codes and texts as the runtime gave them.
//
// A crash leaves no text. Observed with 1.30.0, release builds of ONNX Runtime do not log a node
// before they compute it, infer its shapes or create its kernel, at any log level of the session or
// the run. The file of a profile is created at the start and stays empty until the session ends.
// The most verbose log of a load shows which optimization was running, and nothing more. This is
// why Bisect exists.
//
// testdata/texts.txt contains the error texts of one version of ONNX Runtime with the facts in
// them. testdata/broken.txt contains models that cause these errors.
package fault
