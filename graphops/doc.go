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
package graphops
