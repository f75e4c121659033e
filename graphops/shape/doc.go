// Package shape infers the types and shapes of all values of a model, without a runtime. Sizes
// are expressions in the symbols of the inputs (package dim). The elements of small integer tensors
// are traced too, because shapes are computed from shapes.
//
// # What is inferred
//
// A size that follows from the graph is inferred for all values of the symbols. A size that depends
// on data, or on an operator without a rule, is unknown. Declarations in the file (value_info,
// outputs) complete what is not inferred, unless Options.Fresh is set. If they contradict the
// graph, that is a Problem, and the graph counts.
//
// # What a model demands of its sizes
//
// A node that only runs at some sizes makes Demands: two sizes are equal, one divides the other, a
// window fits into an image, a table has a row for each position. A Demand names its node and
// explains its purpose. If a plain Demand does not hold, ONNX Runtime rejects the model or the run.
// If a Tolerated one does not hold, the result may be empty, or suitable data may still work. The
// smallest size of a symbol is 1, so what holds from there on is not demanded.
//
// # How it works
//
// The engine visits nodes in topological order, the main graph first. Element types come from the
// operator's schema (package opschema). Shapes and the rest come from its rule in the table of
// rules (rules.go). Each family of operators has a file. A body is inferred at its node, and that
// of a Loop until the sizes that it carries no longer change. A model-local function is inferred at
// each call. Its own values have the types that all calls agree on.
//
// # Limits
//
// Tensors of up to MaxElements elements are traced. A model whose functions and bodies expand to
// more than maxVisits nodes is an error.
package shape
