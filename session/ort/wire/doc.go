// Package wire is the protocol between Lathe (the client) and its worker: messages, the frames that
// carry them, and the greeting with which a worker starts. Neither side trusts the other. Every
// length is checked before it is used, and memory grows only with bytes that have arrived.
package wire

//go:generate go run lathe/graphops/onnxpb/protogen -package lathe/session/ort/wire wire.proto

// Version is the version of the protocol. A worker with another version is refused, since both ends
// are meant to be the same version of Lathe.
const Version = 10

// The limits of the protocol. Worker and client return an error if a frame exceeds them.
const (
	MaxMessage   = 16 << 20 // bytes of one encoded message
	MaxPayload   = 1 << 20  // bytes of data in one frame
	MaxChatter   = 64 << 10 // bytes that may precede the greeting
	MaxBlockRuns = 1 << 20  // runs of one Block
	MinRate      = 1e-3     // requests per second
	MaxRate      = 1e6
)
