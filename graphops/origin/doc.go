// Package origin reads what exporters record in metadata about the origin of a model: the module
// and the source line of a node, the signature of the exported program, and the original names of
// values. PyTorch's exporter (torch.onnx with dynamo, tested with 2.9 and 2.15) and onnxscript's
// builder and rewriter write such entries. Entries of other programs are returned unchanged.
//
// A view, such as Node, represents the metadata of one part of a model. Creating a view is
// free; each method parses its entry when it is called. The entries are printed Python objects,
// whose form is not specified. A method therefore returns a Said, which has the raw text and, if
// the text was understood, its value. Rest returns all entries that no method reads.
package origin
