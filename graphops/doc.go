// Package graphops holds an ONNX model as an immutable value: its structure in
// memory, its large payloads where they lie. Opening reads the structure and
// passes over weights; saving streams them. The package knows no terminal, no
// runtime and no clock.
//
// # What always holds
//
//   - A Model and everything reached from it never changes. An edit goes through
//     an Editor and gives a new Model that shares every untouched part, so a job
//     may hold a Model while a person goes on editing.
//   - Every message keeps its own serialized bytes (its head) apart from the
//     parts that are modelled as children or payloads. Fields that this package
//     does not know survive an edit and a save; fields are decoded on demand.
//   - Slices returned by accessors are shared: callers read them and do not
//     write.
//   - Names are the raw bytes of the file. They need not be UTF-8 and are not
//     safe to print; the face that shows them cleans them.
//
// # Structure and payloads
//
// The package decodes protobuf itself (cursor.go, decode.go), because a generated decoder reads
// every weight. A payload is a range of a file, bytes in memory, or a transform of known length.
// Nothing reads a payload only to look at the model. Whatever grows with the weights is a
// payload: raw and typed tensor data, strings, and the numbers and strings of large attributes
// ([Attribute.Deferred]), such as trees and vocabularies. Whatever grows with the nodes is in
// memory.
//
// encode.go runs the same code twice, once to count bytes and once to write them, so that a
// length prefix always agrees with what follows it. Files are read with pread and never mapped:
// if a mapped file is truncated, the process dies. Strings of names are views into the bytes
// that were read (wire.go, the only use of unsafe). Nothing writes to those bytes.
//
// If a tensor holds its elements in several fields, ONNX Runtime and the onnx package read
// raw_data first, then the field of the tensor's type. So does this package. It keeps the other
// fields when it saves, and warns.
//
// # Places and names
//
// Nodes are in one of three kinds of [Place]: the main graph, a body that an attribute of a node
// holds, or a model-local function. Each place has a [Graph] with an index of its own, because a
// name is valid only in its place. A body can also read values of the graphs around it. Such a
// capture is an edge: in the index of the outer graph, the node that holds the body is a reader
// of the value. Place.Captures returns each captured value with its place.
// [Model.WithGraph] replaces one graph and shares everything else.
//
// The format links nodes by names. Code that makes a name asks [Names], which knows every name
// of the model. Code that changes a name calls [Graph.Renamed], which follows it into bodies.
// Code that cuts a graph or changes its nodes calls [Model.Unshadowed] at the end: a name that
// was defined after a body may become an input before it, and then the body must not define a
// value of that name.
//
// A value that is defined twice is invalid, with one exception: among constants, ONNX Runtime
// uses the last. [Index.Overruled] lists the others. Cuts and edits keep the one that is used.
//
// # Which formats are opened
//
// A file is reported as another format only after it proved not to be a model. Protobuf has no
// magic number, so a guess from the first bytes would reject models. ONNX's text syntax is one
// such format. OpenOptions.Text reads it. Package session and the commands set that option,
// because this package is below the parser (package onnxtext).
//
// External data is opened from a handle of the model's folder ([os.Root]), not by a path that
// was checked before. Otherwise someone could replace a folder between the check and the open.
//
// # Writing
//
// Every file is written by [WriteFile] or [Save]: the whole file or nothing, never over a source
// of the model, and never over another file unless the caller allows it. A model and its data
// files are replaced together (save_pair.go). The next write into a folder removes what a killed
// process left there (write_stale.go).
package graphops
