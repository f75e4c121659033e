// Package wire is the protocol between Lathe and its worker: messages, frames
// and the greeting. It trusts neither side: a length is checked before it is
// believed, and memory grows only with bytes that have arrived.
package wire

//go:generate go run lathe/graphops/onnxpb/protogen -package lathe/session/ort/wire wire.proto

// Version is the protocol that this package speaks. A worker of another version
// is refused, since both ends are meant to be the same Lathe.
const Version = 9

// Limits of the protocol. A frame beyond them is refused by both ends.
const (
	MaxMessage   = 16 << 20 // bytes of one encoded message
	MaxPayload   = 1 << 20  // bytes of data in one frame
	MaxChatter   = 64 << 10 // bytes that may precede the greeting
	MaxBlockRuns = 1 << 20  // runs of one Block
	MinRate      = 1e-3     // requests a second
	MaxRate      = 1e6
)
