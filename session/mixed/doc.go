// Package mixed quantizes each node of a model to a type of its own: the one that makes the model as
// small as possible and keeps the targets for its error.
//
// An Auto has the options. It prepares the model (base.go), lists the types that each node can have with
// estimates (units.go), and lets package search choose. A trial makes the model with the modes of package
// quantization one after the other, runs it on the inputs, and compares its outputs with those of the
// original (trial.go). So a type is used only if the chosen provider has run it. Trials are appended to a
// journal (journal.go), from which the next run continues.
package mixed
