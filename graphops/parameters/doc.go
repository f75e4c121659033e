// Package parameters reads tensors that are stored by name and belong to no graph: training
// checkpoints of ONNX Runtime, safetensors, numpy's .npz, and the initializers of another
// model.
//
// A file is known by what it holds, never by its name (Open). Nothing that lists reads an
// element: an entry is a range of a file, or is made of one while it is saved. Whatever a
// file claims is checked against its size first, and every limit is an error that names it.
package parameters
