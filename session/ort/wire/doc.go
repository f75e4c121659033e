// Package wire is the protocol between Lathe (the client) and its worker: messages, the frames that
// carry them, and the greeting with which a worker starts.
//
// A message is a [Request] of the client or a [Reply] of the worker. Both are plain structs, encoded
// as CBOR maps whose keys are the numbers in the tags of the fields. A field with its zero value is
// not sent, and the receiver ignores a number that it does not know.
//
// Neither side trusts the other. Every length is checked before it is used, and memory grows only
// with bytes that have arrived. Lists contain structs rather than pointers, so that no element is
// nil, whatever was sent. A pointer in a message may be nil.
package wire

// Version is the version of the protocol. A worker with another version is refused, since both ends
// are meant to be the same version of Lathe.
const Version = 14

// The limits of the protocol. Worker and client return an error if a frame exceeds them.
const (
	MaxMessage   = 16 << 20 // bytes of one encoded message
	MaxPayload   = 1 << 20  // bytes of data in one frame
	MaxChatter   = 64 << 10 // bytes that may precede the greeting
	MaxBlockRuns = 1 << 20  // runs of one Block
	MinRate      = 1e-3     // requests per second
	MaxRate      = 1e6
)
