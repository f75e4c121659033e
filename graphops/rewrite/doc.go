// Package rewrite represents a model as nodes and values that point at each other and can be
// changed in place. Optimizers use it between two immutable models.
//
// [Load] creates it from a *graphops.Model, and [Model.Store] creates a *graphops.Model from it, at
// any time and as often as needed. Nodes, including those in bodies, refer to values by pointer
// (*Value) and not by name. Renaming therefore causes no conflicts, and a value that takes over the
// name of an output keeps all its readers.
//
// # Invariants
//
// Each value has one definition: an input, a constant, or an output of a node that precedes all of
// its readers. Each input of a node is a value of its graph or of one around it. Uses counts the
// inputs of nodes and the outputs of graphs that refer to the value. [Model.Check] verifies these
// invariants.
//
// # Types
//
// [Model.Infer] infers the types and small contents of all values (package shape). A value that is
// changed later keeps what was known about it; a new value has the type that its creator set. Types
// that a file declares for outputs of nodes are not used, because conclusions from a wrong
// declaration would be wrong.
//
// # Origin of nodes
//
// Each node knows the nodes of the loaded model that it stands for, and [Model.Touched] returns
// those that a change removed, modified or replaced.
package rewrite
