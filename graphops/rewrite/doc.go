// Package rewrite represents a model as nodes and values that refer to each other by pointer and
// can be changed in place. Engines that rewrite nodes use it between two immutable models.
//
// [Load] creates a Model from a *graphops.Model, with all constants in one form, for optimizers.
// [LoadAsIs] keeps the form that the file has, for conversions. [Model.Store] creates a
// *graphops.Model from it, at any time and any number of times. Nodes, including those in bodies,
// refer to values by pointer (*Value) and not by name. Renaming a value therefore causes no
// conflicts, and a value that takes over the name of an output keeps all its readers.
//
// # Invariants
//
// Each value has one definition: it is an input, a constant, or an output of a node that precedes
// all of its readers. Each input of a node is a value of its graph or of a graph around it. Uses
// counts the inputs of nodes, and the outputs of graphs, that are the value. [Model.Check] verifies
// these invariants. [LoadAsIs] does not establish them if the file violates them.
//
// # Types
//
// [Model.Infer] infers the types of all values and the elements of small ones (package shape). If a
// value is changed afterwards, what is known about it stays. A new value has the type that its
// creator set. Types that a file declares for outputs of nodes are not used, because a wrong
// declaration would lead to wrong conclusions.
//
// # Origin of nodes
//
// Each node knows the nodes of the loaded model that it stands for. [Model.Touched] returns those
// that a change removed, modified or replaced.
package rewrite
