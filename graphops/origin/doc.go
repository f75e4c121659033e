// Package origin reads what exporters record in metadata about the origin of a model: the module
// and the source line of a node, the signature of the exported program, the original names of
// values. PyTorch's exporter (torch.onnx with dynamo, tested with 2.9 and 2.15) and onnxscript's
// builder and rewriter write such entries. Entries of other programs are passed on unchanged.
//
// Views are lazy: creating one costs nothing, and each method parses when it is called. The texts
// are representations of Python objects whose form is not specified. Therefore a method returns a
// Said: the raw text, and the value if the text was understood. Nothing is lost: Rest returns the
// entries that no method reads.
package origin
