// Package parameters reads files with named tensors but without a graph: training checkpoints of
// ONNX Runtime, safetensors, and numpy's .npz. It can also read the initializers of another model
// in this way.
//
// Open recognizes the kind of a file by its content, never by its name. Listing a file reads no
// elements: the elements of an entry are a range of a file, or are converted from one when they are
// saved. All sizes that a file claims are checked against the size of the file before they are
// used. If a file exceeds a limit of this package, the error says which one.
package parameters
