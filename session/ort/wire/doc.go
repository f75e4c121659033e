// Package wire is the protocol between Lathe (the client) and its worker: messages, the frames that
// carry them, and the greeting with which a worker starts.
//
// A message is a [Request] of the client or a [Reply] of the worker. Both are plain structs, encoded
// as CBOR maps whose keys are the numbers in the tags of the fields. A field with its zero value is
// not sent, and the receiver ignores a number that it does not know.
//
// # What neither side trusts
//
// Every length is checked before it is used, and memory grows only with bytes that have arrived. A
// message has at most [MaxMessage] bytes and takes at most [MaxDecoded] bytes of memory when it is
// decoded, which is checked before it is decoded. A payload has at most [MaxPayload] bytes, and only
// frames with Data have one. At most one kind of message is set. Lists contain structs rather than
// pointers, so that no element is nil, whatever was sent. A pointer in a message may be nil. Texts are
// what the other side sent: whoever prints one cleans it.
//
// # Silence
//
// A worker sends [Alive] every [AliveEvery] while a request takes longer than that, from a thread that
// the library does not use. So a run of hours is not silent, unlike a worker that does not answer any
// more, or that cannot be reached.
package wire

import "time"

// Version is the version of the protocol. A worker with another version is refused, since both ends
// are meant to be the same version of Lathe.
const Version = 15

// AliveEvery is how often a worker reports that it is alive, while requests are in progress.
const AliveEvery = 5 * time.Second

// StoragePrefix is how the name of a folder begins that a worker makes for its files, in the folder for
// temporary files.
const StoragePrefix = "lathe-worker-"

// The limits of the protocol. Worker and client return an error if a frame exceeds them.
const (
	MaxMessage   = 16 << 20 // bytes of one encoded message
	MaxDecoded   = 64 << 20 // bytes of memory that one decoded message takes
	MaxPayload   = 1 << 20  // bytes of data in one frame
	MaxRequests  = 256      // requests in progress on one connection
	MaxChatter   = 64 << 10 // bytes that may precede the greeting
	MaxBlockRuns = 1 << 20  // runs of one Block
	MinRate      = 1e-3     // requests per second
	MaxRate      = 1e6
)
