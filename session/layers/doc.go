// Package layers compares every value that two models share, and finds the node that makes an
// error.
//
// # Two kinds of error
//
// The accumulated error of a value is how far B's value is from A's if both models run on the same
// inputs. It grows from layer to layer and shows where an error becomes visible. The local error is
// how far B's value is from A's if B computes it from A's values. It shows where an error is made.
// For this, B is cut at every shared value (package region). The nodes that compute a shared value
// from other shared values are its region. One run computes every region from the values that A has
// for its inputs. If the inputs of a region have A's bits when B runs by itself, both errors are
// the same, and the region is not run again.
//
// # Judgement
//
// The same kernel gives the same bits for the same inputs, so a local error means that the region
// computes in another way. It counts as rounding if every element is within the tolerance of its
// type (comparison.tolerance). A region that quantizes makes noise, which is expected. It is judged
// by its signal-to-noise ratio, so that a fault next to it stands out. The first divergence is the
// first value in the order of A whose region fails.
//
// Values with the same name can have different meanings in the two models, for example if an
// optimizer moved a factor into weights. This is recognized because B returns to A's values later.
// A fault in between hides that. So if several connected layers are wrong, B is run across all of
// them from A's values (comparison.attribute).
//
// # Memory
//
// A segment is a number of consecutive nodes of A, and the values of one segment are compared
// before the next one runs. Each model continues from where it stopped; values that later nodes
// read are kept. So every node of A runs once and every node of B at most twice, and only the
// values of one segment are in memory. Large values are in memory only in the worker: they are
// received into a file, and sent to the next run from there. The graphs must run without
// optimization. Otherwise a fused node would hide the values inside of it, and the two models would
// be optimized differently.
//
// # How a comparison is made
//
// What happens in `lathe validate a.onnx b.onnx --layers`:
//
//  1. counterpart.Find pairs the values of the two main graphs. diff.Match finds the values
//     that the structure determines, and whether equal names mean the same. If they do, names
//     count more than guesses from structure. A value that B quantizes and dequantizes has two
//     counterparts.
//  2. region.At cuts B at every pair. From then on, the value that a region computes and the value
//     that the next regions read have different names. So a single run can give every region A's
//     values.
//  3. run.go processes A's order in segments, as large as --compare-memory allows. In each
//     segment A computes its values, B continues by itself for the accumulated errors, and
//     isolate.go runs the regions whose inputs do not have A's bits, for the local errors.
//     Values that later nodes read are kept, in a file if they exceed a limit. If a set of
//     regions does not run, each half of it is run, until the region at fault is found. A large
//     value goes from the worker to a file and back (execution.Want.Into, graphops.Value.Stored)
//     and is compared on the way. A node that needs too much memory runs on some rows at a time
//     (pieces.go).
//  4. If a value is wrong but much closer to a neighbouring value that only one model has, the
//     two values become the pair (remap.go). This happens if an optimizer folds a normalization
//     into a convolution: only one of the two nodes' names is kept, perhaps the wrong one.
//  5. judge.go compares a local error with the tolerance of the types, or, for a region that
//     quantizes, with its signal. It then withdraws judgements that later values contradict, also
//     if a factor moved into weights (scaled.go). If the first layer that fails is connected to
//     other wrong layers, attribute.go runs B across all of them from A's values, and across more
//     layers until the result is right. The first layer that fails then is the first divergence.
//  6. The runs use workers that stay (runtime.Staying), one for each way to run. A side with an
//     optimization level is the graph that the optimizations make (runtime.Optimizer), run as it
//     is. The reference evaluator is a Runner that gets each part as a file.
//  7. The report contains metrics, not values. The workbench makes its tables in the background
//     from a reporting.SideBySide. To show a value, it has the value computed again on both sides
//     ([Result.Values]). tensor.CompareBeside then reads both once and reduces them to what fits
//     on a screen.
package layers
