// Package onnxtext writes and reads models in ONNX's own text syntax. onnx.printer writes this
// syntax, and onnx.parser reads it. onnx.parser accepts the output of Write and returns the same
// model, except for what the syntax cannot express. Write returns a list of these exceptions, each
// of which is a Loss.
//
// # What the syntax cannot express
//
//   - Of models: training_info, configuration.
//   - Of graphs: doc_string, metadata_props, quantization_annotation, sparse initializers.
//   - Of nodes: doc_string, metadata_props, device_configurations.
//   - Of attributes: doc_string; attributes of kind sparse_tensor, with a name that is not an
//     identifier, or whose kind does not match the value.
//   - Of values: doc_string, metadata_props, the denotations of types and dimensions, types
//     without an element type.
//   - Of tensors: segment, doc_string, metadata_props; 6-bit floats; the payload of a NaN; all
//     elements if their number does not match the shape, and elements in a field that is not used
//     because another field has elements too.
//   - Of functions: metadata_props.
//   - Names that are not identifiers where the syntax allows no quotes: those of operators and
//     their domains, of overloads, of bodies, and of tensors in attributes. A name of a tensor in
//     an attribute is left out. In the others, each invalid character is replaced by "_".
//   - Fields that ONNX does not define.
//
// The syntax does not distinguish an absent field from one with the default value. It does not say
// in which field a tensor stores its elements; after reading, they are in raw_data. An attribute of
// IR version 1, which has no kind, gets the kind of its value. None of these is a Loss, because the
// meaning of the model stays the same.
//
// All bytes of a string except quotes and backslashes are written unchanged. A text may therefore
// contain control characters, and it need not be UTF-8. The parser in the onnx package for Python
// stops at a NUL and accepts only UTF-8. This is reported as a Loss too.
//
// # Differences between onnx.printer and onnx.parser
//
// onnx.parser of ONNX 1.23 cannot read everything that onnx.printer writes. Write follows the
// parser, and Parse reads both:
//
//   - The printer leaves out attributes of functions with defaults, and the doc_string and
//     value_info of functions. It writes "..." in place of the elements of 4-bit, 2-bit and
//     complex types. The parser reads all of these; elements that share a byte are written as one
//     number for each byte.
//   - The printer quotes the names of bodies and of tensors in attributes. The parser reads such a
//     name as a string or a type.
//   - The printer does not quote the name of a value without a type if that name is also the name
//     of a type. The parser reads it as a type.
//   - The printer writes external data in an attribute without the "=" that distinguishes it from
//     a dimension.
//   - The printer writes "undefined" for a missing type.
//   - The printer writes lists of tensors, graphs and types. The parser skips them, so that the
//     attribute exists but is empty. Write writes them, Parse reads them, and a Loss says that the
//     parser does not.
package onnxtext
