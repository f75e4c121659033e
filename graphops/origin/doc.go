// Package origin reads what exporters leave in metadata about where a model
// comes from: the module and the source line behind a node, the signature of the
// exported program, the names that values had. PyTorch's exporter (torch.onnx with
// dynamo, seen with 2.9 and 2.15), onnxscript's builder and rewriter write such
// entries; everybody else's are handed on as they are.
//
// Views are lazy: making one costs nothing, each method parses when it is called.
// The texts are representations of Python objects whose form nobody promises, so a
// method returns a Said: the raw text, and the value if the text was understood.
// Nothing is lost by a view: Rest lists the entries that no method reads.
package origin
