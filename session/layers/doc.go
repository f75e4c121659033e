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
//
// # How a comparison is made
//
// What happens in `lathe validate a.onnx b.onnx --layers`:
//
//  1. counterpart.Find pairs the values of the two main graphs. diff.Match says what the
//     structure is certain of, and whether equal names mean the same. If they do, names count
//     more than guesses from structure. A value that B quantizes and dequantizes has two
//     counterparts.
//  2. region.At cuts B at every pair. The value that a region computes and the value that its
//     readers are fed have different names, so that one run computes every region on the values
//     of A.
//  3. run.go takes segment after segment of A's order, as much as --compare-memory allows. In
//     each, A computes its values, B continues by itself for the accumulated errors, and
//     isolate.go runs the regions that did not read A's bits anyway, for the local errors.
//     Values that later nodes read are held, in a file beyond a limit. A part that does not run
//     is halved until one region is left. A large value goes from the worker to a file and back
//     (graphops.Want.Into, graphops.Value.Stored) and is compared on the way. A node that is too
//     large by itself runs some rows at a time (pieces.go).
//  4. If the error of a pair vanishes for a neighbour that only one model has, the pair is
//     corrected (remap.go). An optimizer that folds a normalization into a convolution keeps one
//     of the two names.
//  5. judge.go compares a local error with the tolerance of the types, and for a region that
//     quantizes, with its signal. It then takes back verdicts that later values contradict, also
//     where a factor moved into weights (scaled.go). If the candidate is next to other wrong
//     layers, attribute.go runs B across all of them on A's values and extends that until the
//     result is right. The first layer that fails is the first divergence.
//  6. The runs use workers that stay (session.Staying), one for each way to run. A side with an
//     optimization level is the graph that the optimizations make (session.Optimizer), run as it
//     is. The reference evaluator is a Runner that gets each part as a file.
//  7. The report holds metrics, not values. The workbench makes its tables in the background
//     from a session.SideBySide. To show a value, it asks the report to compute that value again
//     on both sides ([Result.Values]); tensor.CompareBeside then makes pictures of a fixed size
//     in one pass.
package layers
