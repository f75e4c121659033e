// Package cost tells what the nodes of a model cost: multiply-accumulates, bytes
// that are read and written, parameters, and the memory that activations take
// while the model runs. All are expressions in the symbols of the model's inputs,
// made of the shapes that package shape infers; nothing is run.
//
// # What is counted
//
// MACs are the multiply-accumulates of matrix products and convolutions, those in
// recurrent layers and attention included. All other arithmetic counts nothing:
// activations, normalizations, pools, interpolation, Fourier transforms, trees.
// An operator that multiplies and has no formula here, or that no table knows, has
// unknown MACs, and so has a node whose sizes are not known. A sum tells how many
// nodes it leaves out.
//
// The content of a body counts as often as the body runs, of a function at every
// call. Of the branches of an If the larger one counts, unless it is known which
// one is taken.
//
// docs/cost.md lists every operator with its formula, what traffic and memory
// mean, and what is not in them.
package cost
