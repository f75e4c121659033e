// Package scope finds the tree of modules that the nodes of a graph stand in:
// /encoder/layer.0/attention. Formats have no such thing; exporters leave it in
// metadata and in names, each in its own way, and this package makes one tree of it.
//
// # Where a node's scope is taken from
//
// The best of these that there is, node by node; Tree.Source tells which it was.
//
//   - Metadata: the module path that PyTorch's dynamo exporter and onnxscript's
//     builder write, with classes.
//   - Name: what stands before the last slash of the node's name, as PyTorch's
//     TorchScript exporter (/encoder/layer.0/attention/MatMul) and TensorFlow's
//     converters (bert/encoder/layer_0/attention/MatMul) write it. The last segment
//     is the node itself and no scope; what ONNX Runtime's optimizer appends is not
//     part of the name.
//   - Output: the same of its first output that has a slash.
//   - Weights: in a graph where none of the above tells anything, the module that
//     the names of the initializers tell which the node reads:
//     h.0.attn.c_attn.weight is of h.0/attn/c_attn. Of several, what they share.
//   - Around: tools insert nodes without telling where. Such a node stands in the
//     innermost scope that holds both what its inputs come from and what reads its
//     outputs, over other such nodes: between h.0/attn/c_attn and h.0/attn/c_proj it
//     is in h.0/attn. One that has such neighbours on one side only is beside them: a
//     Softmax behind the last module is no part of that.
//
// Whatever is left stands in the root, as everything does in a graph whose names are
// a flat list.
//
// # Names
//
// A segment is relative to the scope around it: PyTorch's features/features.1 and
// the module path features, features.1 are both /features/1, so the trees of both
// exporters agree, and the segments of a path joined by dots are the name that the
// module has in PyTorch. Paths are read the same way, so the longer spelling names
// the same scope, and so does that of PyTorch, with dots. Names are raw; whoever prints one cleans it.
//
// # Bounds
//
// Names are hostile: a scope lies at most MaxDepth deep, and there are at most some
// for each node. Nodes whose scope would be deeper stand in the deepest one that there
// is, and Tree.Cut counts them.
package scope
