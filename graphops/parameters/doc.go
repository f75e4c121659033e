// Package parameters reads tensors that are stored by name without a graph: training checkpoints of
// ONNX Runtime, safetensors, numpy's .npz, and the initializers of another model.
//
// The kind of a file is recognized by its content, never by its name (Open). Listing reads no
// elements: an entry is a range of a file, or is computed from one while it is saved. Everything
// that a file claims is checked against its size first, and each limit is an error that names it.
package parameters
