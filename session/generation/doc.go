// Package generation says how a language model generates tokens: which inputs change from run to run,
// how its caches continue, and how long its context is. A Plan follows from the roles of the model's
// inputs and outputs (package roles) and from inputs at which it ran once. It is data: package ort
// runs it in a worker.
package generation
