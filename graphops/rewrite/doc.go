// Package rewrite is a model as nodes and values that point at each other, to be
// changed in place: what an optimizer works on between two immutable models.
//
// [Load] makes it of a *graphops.Model, [Model.Store] makes a *graphops.Model of it,
// at any time and as often as one likes. In between a value is a pointer: a node
// reads a *Value whatever it is called, in bodies too, which read the values
// around them. So names cannot capture each other, and a value that takes over the
// name of an output keeps all of its readers.
//
// # What holds at any time
//
// Every value has one definition: an input, a constant, or an output of a node
// that stands before all of its readers. Every input of a node is a value of its
// graph or of one around it. Uses counts the inputs of nodes and the outputs of
// graphs that are the value. [Model.Check] looks whether all that is so.
//
// # Types
//
// [Model.Infer] infers types and small contents of all values (package shape).
// What changes afterwards keeps what was known of it; a new value has the type
// that its maker gave. What a file declares of values that nodes make is not
// believed, since what follows from it would be wrong wherever the file is.
//
// # Where nodes come from
//
// Every node knows the nodes of the loaded model that it stands for, and
// [Model.Touched] lists those that a change removed, changed or replaced.
package rewrite
