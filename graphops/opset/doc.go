// Package opset converts a model to a later version of the standard operators. The nodes keep their
// meaning.
//
// # Steps
//
// An operator changes in some versions of its domain. Each such change is called a step. For each
// step in package opschema, steps.txt has a row, which a test checks. A row has the form
//
//	OPERATOR VERSION same|adapter|none [WHY]
//
// It says that nodes keep their meaning without a change (same), that an adapter rewrites them
// (adapter), or that they cannot be converted (none), and why. A node goes through all steps
// between its version and the requested one. Nodes that an adapter creates go through the steps
// after that.
//
// Bodies are converted together with the graph around them. Functions are converted from the
// version that they import themselves. If some nodes cannot be converted, there is no result, and
// the error names all of them with the reasons.
//
// # What adapters need to know
//
// Adapters change the node in place and insert nodes next to it (package rewrite). They ask package
// shape for types and sizes. They need the elements of an input only if the later version has an
// attribute in its place. If something is unknown, the reason in the error says what is missing.
//
// # Equal results
//
// In ONNX Runtime, the results of the converted model are equal to those of the original bit by
// bit, with these exceptions:
//
//   - A BatchNormalization with spatial=0 (up to version 8), a ScaledTanh and a ParametricSoftplus
//     become several nodes, each of which rounds its result.
//   - The kernel for AveragePool from version 19 on adds in another order.
//   - The mask of a Dropout of versions 7 to 11 that drops nothing was undefined (in practice
//     false). From version 12 on it is true.
package opset
