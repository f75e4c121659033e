// Package graphops represents an ONNX model as an immutable value. The structure of the model is in
// memory, and its large data, such as weights, stays in the file. Opening a model reads the
// structure and skips the weights. Saving copies the weights from file to file. The package does
// not depend on the terminal, on ONNX Runtime or on the time.
//
// # Invariants
//
//   - A Model, and everything that is reached from it, never changes. An edit uses an Editor and
//     creates a new Model, which shares all unchanged parts. A background job may therefore use a
//     Model while the user edits it.
//   - Parts of a message that have types of their own, such as the nodes of a graph, and payloads
//     are stored separately. All other fields of the message stay in serialized form, its head,
//     and are decoded when they are needed. Fields that this package does not know therefore
//     survive an edit and a save.
//   - Slices returned by accessors are shared. Callers must not change them.
//   - Names are the raw bytes of the file. They need not be UTF-8 and may contain control
//     sequences. Code that shows a name must clean it first.
//
// # Structure and payloads
//
// The package decodes protobuf itself (cursor.go, decode.go), because a generated decoder would
// read every weight. A payload is a range of a file, bytes in memory, or the result of a transform
// with a known length. No payload is read just to show the structure of a model. All data whose
// size grows with the weights is a payload: raw and typed tensor data, strings, and the numbers and
// strings of large attributes ([Attribute.Deferred]), such as decision trees and vocabularies. Data
// whose size grows with the number of nodes is in memory.
//
// encode.go runs the same code twice, first to count bytes and then to write them, so that a length
// prefix always agrees with what follows it. Files are read with pread and never mapped, because
// the process dies if a mapped file is truncated. Strings of names share memory with the bytes that
// were read (wire.go, the only use of unsafe). Nothing writes to these bytes.
//
// If a tensor has elements in several fields, ONNX Runtime and the onnx package use raw_data if
// present, otherwise the field for the tensor's type. This package does the same. When it saves, it
// keeps the other fields and warns about them.
//
// # Places and names
//
// A [Place] is a graph that contains nodes. There are three kinds: the main graph, a body in an
// attribute of a node, and a model-local function. Each place has a [Graph] with its own index,
// because a name is valid only in its place. A body can also read values of the graphs around it,
// which is called a capture. In the index of the outer graph, the node with the body counts as a
// reader of the captured value. Place.Captures returns each captured value with its place.
// [Model.WithGraph] replaces one graph and shares everything else.
//
// In the format, nodes refer to values by name. Code that needs a new name must use [Names], which
// knows all names of the model. Code that changes a name must use [Graph.Renamed], which also
// changes references in bodies. Code that cuts a graph or changes its nodes must call
// [Model.Unshadowed] at the end. Such a change may turn a value into an input, which exists before
// any body runs. A body must then not define a value with the same name.
//
// A graph that defines a value twice is invalid, with one exception: of several constants with the
// same name, ONNX Runtime uses the last. [Index.Overruled] lists their names. Edits keep the
// constant that is used.
//
// # Which formats are opened
//
// A file is first read as a model. Only if that fails is it reported as a file of another
// format. Protobuf has no magic number, so a guess from the first bytes would reject some
// models. ONNX's text syntax is one of the other formats (package formats). It can be opened if
// OpenOptions.Text is set. Package session and the commands set that option. This package cannot
// do so itself, because the parser (package onnxtext) imports it.
//
// External data is opened through a handle of the model's folder ([os.Root]), not by a path that
// was checked before. Otherwise someone could replace a folder between the check and the open.
//
// # Writing
//
// All files are written by [WriteFile] or [Save], which use package durable. They write either the
// whole file or nothing. They never overwrite a file that the model is read from, and overwrite
// other files only if the caller allows it. A model and its data files are replaced together. If a
// process is killed while it writes, the next write into the same folder removes what it left.
// isOrphan (save_data.go) tells package durable which data files no model needs.
package graphops
