// Package formats says what a file is that is not an ONNX model although a user tried to open it as
// one, and what to do about it: convert it, unpack it, fetch it again.
//
// It is asked only after a file could not be read as a model. Protobuf has no magic number, so a
// guess from the first bytes would reject some models. Each kind of format has a table: texts at
// fixed offsets (formats.go), files in a zip archive (zip.go), kinds of text (text.go) and folders
// (folder.go). Formats that are protobuf messages are recognised by the caller, which decodes them.
package formats
