// Package reduce finds the smallest part of a model that still shows what is wrong with it.
//
// # What is kept
//
// A Symptom is what went wrong, told so that another fault is told apart: the kind, the
// runtime's words without names and numbers, the operator that they are about, the signal
// of a crash, and of a difference by how much. A part counts only where it shows the same
// symptom; a search that took any failure for it would end at a fault of its own making.
//
// # How parts are made
//
// Any nodes can be a part: what they read of others becomes inputs, what others read of
// them outputs. Inputs are of the types that inference tells, and are fed what the sound
// side has there; where a type is told by nobody, the node that makes the value joins the
// part. Of two models the regions between values that both have (package layers) take the
// place of nodes, and one part of each is made.
//
// # How it is searched
//
// The node that the runtime names, or that layers find, is tried alone. Else halves of the
// topological order are taken away from behind and from before, then what is left between
// (see search). The last round takes each node away by itself, so the result is 1-minimal:
// it needs every single node. Nodes that hold bodies or call functions are then replaced by
// what they consist of, and the search goes on inside.
package reduce
