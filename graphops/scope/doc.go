// Package scope determines the tree of modules to which the nodes of a graph belong:
// /encoder/layer.0/attention. File formats do not have it. Exporters record it in metadata and
// names, each in its own way, and this package derives a common tree.
//
// # Sources of a node's scope
//
// The first of these that is available for the node; Tree.Source says which one it was.
//
//   - Metadata: the module path that PyTorch's dynamo exporter and onnxscript's builder write, with
//     classes.
//   - Name: the part before the last slash of the node's name, as PyTorch's TorchScript exporter
//     (/encoder/layer.0/attention/MatMul) and TensorFlow's converters
//     (bert/encoder/layer_0/attention/MatMul) write it. The last segment is the node itself.
//     Suffixes that ONNX Runtime's optimizer appends are ignored.
//   - Output: the same for its first output with a slash.
//   - Weights: in a graph in which none of the above is available for any node, the module in the
//     names of the initializers that the node reads: h.0.attn.c_attn.weight belongs to
//     h.0/attn/c_attn. If there are several, their common part.
//   - Around: for nodes that tools insert without a scope. Such a node gets the innermost scope
//     that contains both the producers of its inputs and the readers of its outputs, ignoring other
//     such nodes: between h.0/attn/c_attn and h.0/attn/c_proj it is in h.0/attn. A node with such
//     neighbours on one side only is put next to them: a Softmax after the last module is not part
//     of it.
//
// All other nodes are in the root. So are all nodes of a graph whose names are a flat list.
//
// # Names
//
// A segment is relative to the scope around it: PyTorch's features/features.1 and the module path
// features, features.1 are both /features/1. The trees of both exporters therefore agree, and the
// segments of a path joined by dots give the module's name in PyTorch. Paths are read in the same
// way, so that the longer form refers to the same scope, and so does PyTorch's form with dots.
// Names are raw text; callers must clean them before printing.
//
// # Bounds
//
// Names are untrusted. A scope has at most depth MaxDepth, and the number of scopes is bounded by
// the number of nodes. Nodes whose scope would be deeper are in the deepest existing one, and
// Tree.Cut counts them.
package scope
