// Package ep has what Lathe knows about the execution providers of ONNX Runtime, as a table
// with one row each. It loads nothing and asks no machine.
//
// A provider without a row can be used too: its name is passed to ONNX Runtime, which may know it.
// To add one, add a row to the table. Only a provider that ONNX Runtime does not attach by name
// needs more: a function in package worker that attaches it.
package ep
