// Package check finds what is wrong with a model and what is risky in it: all
// that the checker of the onnx package finds, and what only shows where the
// model is loaded, fed or changed. It runs nothing.
//
// # How it is built
//
// One check is one row of the table (rules.go): a code, which never changes its
// meaning, a severity, what it is about, and one function, which looks at the
// model, or is called for each place, node or tensor of it. testdata/CODE.txtar
// states models that have the problem, and some that nearly have it.
//
// # Severities
//
// An Error is what ONNX Runtime refuses to load, or what fails in every run. A
// Warning breaks a rule of the standard that ONNX Runtime does not insist on, so
// that others refuse the model, or works and is most likely not what was meant.
// An Info is worth knowing. Where versions of ONNX Runtime differ,
// Options.Runtime tells which is meant.
package check
