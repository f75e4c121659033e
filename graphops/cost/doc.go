// Package cost determines the costs of a model's nodes: multiply-accumulates (MACs), bytes read and
// written, parameters, and the memory of activations during a run. All are expressions in the
// symbols of the model's inputs, based on the shapes that package shape infers. Nothing is run.
//
// # What is counted
//
// MACs are the multiply-accumulates of matrix products and convolutions, including those in
// recurrent layers and attention. Other arithmetic does not count: activations, normalizations,
// pooling, interpolation, Fourier transforms, trees. MACs are unknown for operators that multiply
// but have no formula here, for operators that Lathe does not know, and for nodes with unknown
// sizes. A sum says how many such nodes it leaves out.
//
// Nodes in a body count as often as the body runs, and nodes of a function once for each call. For
// an If, only the more expensive branch counts, unless it is known which branch is taken.
//
// A [Summary] counts what needs no shapes: nodes, operators, parameters, and bytes of weights.
//
// docs/cost.md lists all operators with their formulas, and explains what traffic and memory
// include.
package cost
