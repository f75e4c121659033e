// Package sizing decides which sizes the free axes of a model's inputs have when it
// runs. A System is what the model demands of them: relations that its nodes need, as
// package shape reports them, relations that names state, and what the files beside
// the model say. A Search proposes sizes for a purpose, the preferred ones first. Every
// proposal satisfies the demands and was checked by an inference with numbers. A
// caller that runs the model reports what the runtime refused, and the next proposal
// takes that into account.
//
// The same model, sizes and refusals give the same proposals: nothing depends on a
// clock or on the number of processors.
package sizing
