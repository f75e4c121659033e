// Package onnxtext writes models in ONNX's own text syntax, which onnx.printer writes and
// onnx.parser reads, and reads them. onnx.parser accepts a text from Write and gives the same
// model, except for what the syntax cannot express. That is reported as a list of Loss.
//
// # What the syntax cannot express
//
//   - Of models: training_info, configuration.
//   - Of graphs: doc_string, metadata_props, quantization_annotation, sparse initializers.
//   - Of nodes: doc_string, metadata_props, device_configurations.
//   - Of attributes: doc_string; attributes of kind sparse_tensor, with a name that is not an
//     identifier, or whose kind does not match the value.
//   - Of values: doc_string, metadata_props, the denotations of types and dimensions, types without
//     an element type.
//   - Of tensors: segment, doc_string, metadata_props; 6-bit floats; the payload of a NaN; elements
//     if their number does not match the shape, and those in a second field.
//   - Of functions: metadata_props.
//   - Names without quotes that are not identifiers: of operators and their domains, overloads,
//     bodies, and tensors in attributes. The last are left out; in the others, "_" replaces each
//     invalid character.
//   - Fields that ONNX does not define.
//
// The syntax does not distinguish an absent field from one with the default value, and does not say
// where a tensor stores its elements: after reading, they are in raw_data. An attribute of IR
// version 1, which has no kind, gets that of its value. None of these is a Loss, because the
// meaning is the same.
//
// All bytes of a string except quote and backslash are written unchanged, so that a text may
// contain control characters and need not be UTF-8. The parser of the onnx package for Python stops
// at a NUL and accepts only UTF-8, which is reported too.
//
// # Differences between onnx.printer and onnx.parser
//
// Not everything that onnx.printer of ONNX 1.23 writes can be read by onnx.parser. Write follows
// the parser, and Parse reads both:
//
//   - The printer leaves out attributes of functions with defaults, the doc_string and value_info
//     of functions, and, as "...", the elements of 4-bit, 2-bit and complex types. The parser reads
//     all of these; elements that share a byte are written byte by byte.
//   - It quotes the names of bodies and of tensors in attributes, which the parser reads as a
//     string or a type.
//   - It does not quote a value without a type whose name is the word for a type.
//   - It writes external data in an attribute without the "=" that distinguishes it from a
//     dimension.
//   - It writes "undefined" for a missing type.
//   - Lists of tensors, graphs and types are written by the printer but skipped by the parser: the
//     attribute exists and is empty. Write writes them, Parse reads them, and a Loss says that the
//     parser does not.
package onnxtext
