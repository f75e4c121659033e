// Package fault turns what ONNX Runtime says when it refuses a model, or fails in
// the middle of one, into facts, and finds the node that they are about.
//
// Parse reads a text without a model, Locate finds what it names in one, Again
// tells whether a second try without graph optimizations would name the node of
// the file, and Bisect finds the node of a crash, which leaves no text. The
// package knows no worker: codes and texts come in as the runtime gave them.
//
// A crash has no text. Release builds of ONNX Runtime (seen with 1.30.0) write no
// line about a node before they compute it, infer its shapes or make its kernel,
// at no level of logging, of the session or the run; the file of a profile is made
// at the start and stays empty until the session ends. The most verbose log of a
// load tells which optimization was under way (Pass), no more. Hence Bisect.
//
// What can be read off a text of one version is in testdata/texts.txt, with the
// models that provoke it in testdata/broken.txt.
package fault
