// Package layers compares every value that two models share, and finds the node that makes an
// error.
//
// # Two kinds of error
//
// The accumulated error of a value is how far B's value is from A's if both models run on the same
// inputs. It grows from layer to layer and shows where an error becomes visible. The local error is
// how far B's value is from A's if everything it is computed from has A's values. It shows where an
// error is made. For this, B is cut at every shared value (package region): one run computes each
// value from A's values of its predecessors. If a region's inputs have A's bits anyway, both errors
// are the same, and nothing is run twice.
//
// # Judgement
//
// The same kernel gives the same bits for the same inputs, so a local error means that the region
// computes in another way. It counts as rounding if every element is within the tolerance of its
// type, see tolerance. A region that quantizes makes noise, which is expected. It is judged by its
// signal-to-noise ratio, so that a fault next to it stands out. The first divergence is the first
// value in the order of A whose region fails.
//
// Values with the same name can have different meanings in the two models, for example if an
// optimizer moved a factor into weights. This is recognized because B returns to A's values later,
// unless there is a fault before that. If there is, B is run on A's values across all layers that
// are off, see attribute.
//
// # Memory
//
// Values are compared segment by segment, in the order of A. Each model continues from where it
// was; values that later nodes read are held. So every node of A runs once and every node of B at
// most twice, and only one segment of values is in memory. Large values are in the memory of the
// runners only: they are received into a file and fed from there. The graphs must run as they are,
// without optimization: a fused node hides the values inside of it, and the two models would be
// optimized differently.
//
// # How a comparison is made
//
// What happens in `lathe validate a.onnx b.onnx --layers`:
//
//  1. counterpart.Find pairs the values of the two main graphs. diff.Match finds the values
//     that the structure determines, and whether equal names mean the same. If they do, names
//     count more than guesses from structure. A value that B quantizes and dequantizes has two
//     counterparts.
//  2. region.At cuts B at every pair. The value that a region computes and the value that its
//     readers are fed have different names, so that one run computes every region on the values
//     of A.
//  3. run.go processes A's order in segments, as large as --compare-memory allows. In each
//     segment A computes its values, B continues by itself for the accumulated errors, and
//     isolate.go runs the regions whose inputs do not have A's bits, for the local errors.
//     Values that later nodes read are held, in a file if they exceed a limit. A part that does
//     not run is halved until one region is left. A large value goes from the worker to a file
//     and back (graphops.Want.Into, graphops.Value.Stored) and is compared on the way. A node
//     that is too large by itself runs some rows at a time (pieces.go).
//  4. If the error of a pair vanishes for a neighbour that only one model has, the pair is
//     corrected (remap.go). An optimizer that folds a normalization into a convolution keeps one
//     of the two names.
//  5. judge.go compares a local error with the tolerance of the types, or, for a region that
//     quantizes, with its signal. It then revokes verdicts that later values contradict, also
//     if a factor moved into weights (scaled.go). If the candidate is next to other wrong
//     layers, attribute.go runs B across all of them on A's values and extends that until the
//     result is right. The first layer that fails is the first divergence.
//  6. The runs use workers that stay (session.Staying), one for each way to run. A side with an
//     optimization level is the graph that the optimizations make (session.Optimizer), run as it
//     is. The reference evaluator is a Runner that gets each part as a file.
//  7. The report contains metrics, not values. The workbench makes its tables in the background
//     from a session.SideBySide. To show a value, it asks the report to compute that value again
//     on both sides ([Result.Values]); tensor.CompareBeside then makes pictures of a fixed size
//     in one pass.
package layers
