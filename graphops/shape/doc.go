// Package shape infers the types and shapes of all values of a model, without a
// runtime. Sizes are expressions in the symbols of the inputs (package dim), and
// what a small integer tensor holds is followed too, because shapes are computed
// from shapes.
//
// # What is said and what is not
//
// A size that follows from the graph is told, whatever the symbols stand for. A size
// that depends on data, or on an operator that no rule is written for, is unknown.
// What the file declares (value_info, outputs) fills in what is not inferred, unless
// Options.Fresh; where it says something else than the graph does, that is a
// Problem, and the graph is believed.
//
// # What a model demands of its sizes
//
// A node that runs at some sizes only makes Demands: two sizes are equal, one divides the
// other, a window fits into an image, a table has a row for each position. A Demand names
// its node and says in words what it is for. What ONNX Runtime refuses otherwise is a plain
// Demand; a Tolerated one may be broken, with an empty result or with data that suit. The
// smallest size that a symbol stands for is 1, so that what holds from there on is not
// demanded.
//
// # How it works
//
// The engine visits nodes in topological order, main graph first. Element types
// come from the operator's schema (package opschema), shapes and the rest from its
// rule, which is found in the table of rules (rules.go); each family of operators
// has a file. A body is inferred where its node stands; that of a Loop until the
// sizes it carries do not change any more. A model-local function is inferred at
// each call; what its own values are is what all calls agree on.
//
// # Limits
//
// Tensors of up to MaxElements elements are followed. A model whose functions and
// bodies expand to more than MaxVisits nodes is an error.
package shape
