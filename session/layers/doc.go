// Package layers compares every value that two models share, and finds the node that
// makes an error.
//
// # Two kinds of error
//
// The accumulated error of a value is how far B's is from A's where both run on the same
// inputs: it grows from layer to layer and tells where an error shows. The local error is
// how far B's is where all that the value is computed from are A's: it tells where an
// error is made. B is cut at every shared value for that (package region): what is
// computed for a value comes out, and what is fed goes on. Where what a region reads has
// A's bits anyway, both errors are the same, and nothing is run twice.
//
// # Judgement
//
// The same kernel on the same bits gives the same bits, so a local error is that of a
// region that computes otherwise. It is rounding as long as every element is within the
// tolerance of its type, see tolerance. A region that quantizes makes noise, which is
// expected and judged by its ratio to the signal; so a fault beside it stands out. The
// first divergence is the first value in the order of A whose region fails.
//
// Values of one name can mean other things in the two models, as where an optimizer puts a
// factor into weights. What B makes of them tells: it comes back to A's values, if no fault
// lies before. Where one does, B is run across the layers that are off, on A's values, see
// attribute.
//
// # Memory
//
// Values are compared segment by segment, in the order of A. Each model goes on from where
// it was: what later nodes read is held. So every node of A runs once, every node of B at
// most twice, and no more than a segment of values is in memory. Large values are in the
// runners alone: they come into a file and are fed from there. Graphs are to be run as they
// stand, unoptimized: a fused node hides the values inside of it, and the two models would
// be optimized in different ways.
package layers
