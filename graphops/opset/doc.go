// Package opset converts a model to a later version of the standard operators without changing the
// meaning of its nodes.
//
// # Steps
//
// An operator changes in some versions of its domain. Each such change is a step, and steps.txt has
// a row for each one in package opschema, which a test checks. The row says whether a node keeps
// its meaning unchanged, which types or forms are no longer allowed, which adapter rewrites it, or
// why there is no adapter. A node passes through all steps between its version and the requested
// one, and the nodes that an adapter creates pass through the following steps.
//
//	OPERATOR VERSION same|adapter|none [WHY]
//
// Bodies are converted with the graph around them, and functions from the version that they import
// themselves. If nodes cannot be converted, there is no result, and the error names all of them
// with the reasons.
//
// # Required knowledge
//
// Adapters ask package shape for types and sizes. They need the elements of an input only if a
// later version has an attribute instead. If something is unknown, the reason says what is missing.
//
// # Equal results
//
// In ONNX Runtime, results are equal bit by bit, with these exceptions.
//
//   - A BatchNormalization with spatial=0 (up to version 8), a ScaledTanh and a ParametricSoftplus
//     become several nodes, each of which rounds.
//   - The kernel for AveragePool from version 19 on adds in another order.
//   - If a Dropout of versions 7 to 11 drops nothing, its mask was undefined, and is false in
//     practice; from 12 on it is true.
package opset
