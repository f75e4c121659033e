// Package opset carries a model over to a later version of the standard operators, so
// that every node means the same in it.
//
// # Steps
//
// An operator changes in some versions of its domain. Each such change is a step, and
// steps.txt has a row for every one that package opschema knows, which a test makes sure
// of: whether a node means the same as it stands, what it may be of no more, which adapter
// writes it anew, or why there is none. A node goes through the steps between the version
// that it is of and the one that is wanted, one after the other; what an adapter makes
// goes through those that follow.
//
//	OPERATOR VERSION same|adapter|none [WHY]
//
// Bodies are carried over with the graph that holds them, functions from the version that
// they import themselves. A node that cannot be carried over is named with the reason, all
// such nodes at once, and then there is no result.
//
// # What is needed to know
//
// Adapters ask package shape for types and sizes, and for numbers only where a later
// version wants in an attribute what was an input. Where that is not known, the reason
// says what is missing.
//
// # The same numbers
//
// Results are equal bit by bit in ONNX Runtime, with these exceptions.
//
//   - A BatchNormalization with spatial=0 (up to version 8), a ScaledTanh and a
//     ParametricSoftplus become several nodes, which round one by one.
//   - The kernel for AveragePool from version 19 on adds up in another order.
//   - A mask that a Dropout of versions 7 to 11 makes where nothing is dropped was not
//     defined, and false; from 12 on it is true.
package opset
