// Package scope derives a tree of modules from a graph, and determines the module to which each
// node belongs, such as /encoder/layer.0/attention. ONNX has no such tree. Exporters record modules
// in metadata and in names, each in its own way. A module, or a folder of names, is called a scope.
//
// # Sources of a node's scope
//
// The scope of a node comes from the first of these sources that the node has. Tree.Source says
// which one it was.
//
//   - Metadata: the module path that PyTorch's dynamo exporter and onnxscript's builder write,
//     with the classes of the modules.
//   - Name: the part before the last slash of the node's name, as PyTorch's TorchScript exporter
//     (/encoder/layer.0/attention/MatMul) and TensorFlow's converters
//     (bert/encoder/layer_0/attention/MatMul) write it. The last segment is the node itself.
//     Suffixes that ONNX Runtime's optimizer appends are ignored.
//   - Output: the same for the node's first output whose name has a slash.
//   - Weights: the module in the names of the initializers that the node reads. For example,
//     h.0.attn.c_attn.weight belongs to h.0/attn/c_attn. If a node reads several, the common part
//     of their modules is used. This source is used only if none of the above exists for any node
//     of the graph.
//   - Around: for nodes that tools insert without a scope. Such a node gets the innermost scope
//     that contains both the producers of its inputs and the readers of its outputs; other nodes
//     without a scope are skipped over. For example, a node between h.0/attn/c_attn and
//     h.0/attn/c_proj is in h.0/attn. If only one of the two sides exists, the node is put beside
//     that scope and not into it: a Softmax after the last module is not a part of it.
//
// All other nodes are in the root. If no name in a graph has a structure, all of its nodes are in
// the root.
//
// # Names
//
// A segment is relative to the scope around it. PyTorch's name features/features.1 and the module
// path features, features.1 both give /features/1, so the trees of both exporters agree. The
// segments of a path, joined by dots, are the module's name in PyTorch. A path that a user types is
// read in the same way, so the longer form and PyTorch's form with dots refer to the same scope.
// Names are raw text, which callers must clean before they print it.
//
// # Limits
//
// Names are not trusted. The depth of a scope is at most MaxDepth, and the number of scopes is
// limited in proportion to the number of nodes. A node whose scope would be deeper is put into the
// deepest existing scope on its path, and Tree.Cut counts such nodes.
package scope
