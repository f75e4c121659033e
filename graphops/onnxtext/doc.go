// Package onnxtext writes models in ONNX's own text syntax, which onnx.printer
// writes and onnx.parser reads, and reads them from it. A text that Write makes is
// one that onnx.parser takes; what it reads is the model, but for what the syntax
// has no way to say. That is told as a list of Loss.
//
// # What the syntax cannot say
//
//   - Of the model: training_info, configuration.
//   - Of graphs: doc_string, metadata_props, quantization_annotation, sparse
//     initializers.
//   - Of nodes: doc_string, metadata_props, device_configurations.
//   - Of attributes: doc_string; those of kind sparse_tensor, those whose name is
//     no identifier, and those whose kind says something else than their value.
//   - Of values: doc_string, metadata_props, the denotations of types and
//     dimensions, types without an element type.
//   - Of tensors: segment, doc_string, metadata_props; those of 6-bit floats; the
//     payload of a NaN; elements where their number is not what the shape says,
//     and those that stand in a second field.
//   - Of functions: metadata_props.
//   - Names that stand without quotes and are no identifiers: of operators and
//     their domains, overloads, bodies, and of tensors in attributes. The last are
//     left out; of the others, "_" stands for each character that does not fit.
//   - Fields that ONNX does not define.
//
// Neither can it tell an absent field from one that holds its default, nor where a
// tensor keeps its elements: those that were read lie in raw_data. An attribute of
// IR version 1, which has no kind, gets that of its value. None of that is a Loss,
// because it means the same.
//
// Every byte of a string but quote and backslash stands for itself, so a text may
// hold control characters and need not be UTF-8. The parser of the onnx package
// for Python stops at a NUL and takes nothing but UTF-8, which is told as well.
//
// # Where onnx.printer and onnx.parser disagree
//
// What onnx.printer of ONNX 1.23 writes is not always what onnx.parser reads. Write
// keeps to the parser, and Parse reads both:
//
//   - The printer leaves out: attributes of functions that have defaults, the
//     doc_string and value_info of functions, and, as "...", the elements of 4-bit,
//     2-bit and complex types. The parser reads all of these; elements that share
//     a byte are written byte by byte.
//   - It quotes the names of bodies and of tensors in attributes, which the parser
//     reads as a string or a type.
//   - It does not quote a value without a type whose name is the word for a type.
//   - It writes external data in an attribute without the "=" that keeps it from
//     being read as a dimension.
//   - It writes "undefined" for a type that is missing.
//   - Lists of tensors, graphs and types are written by the printer and read over
//     by the parser: the attribute is there and empty. Write writes them, Parse
//     reads them, and there is a Loss that tells of the parser.
package onnxtext
