// Package worker is the child process that runs ONNX Runtime for Lathe. It is
// the only place that loads the library, so that a crash inside it, a hang or a
// kill for lack of memory costs a worker and not the program.
//
// The binding onnxruntime_go gives the environment, the session options and the
// execution providers. Values, sessions and runs go through a thin layer of our
// own (api.h) on the same library: it keeps error codes, reads every element
// type and rank in place, and times runs in C.
//
// # The binding
//
// The binding does not export the handle of its session options, so handle.go reads it from
// the binding's struct, in one place. TestBindingLayout fails if that struct changes. Everything
// else goes through the runtime's table of functions (api.h). A test compiles every line of
// api.h against the official header.
package worker

import "os"

// Config is what a worker needs to know about its process.
type Config struct {
	// Standard input and output, over which the protocol goes, and standard
	// error, which takes what the library prints.
	In, Out, Err *os.File
	Library      string // path of the ONNX Runtime library
	// NoLibrary is why there is none, for the client to hear.
	NoLibrary error
	// Launched tells that the worker was started for another machine, perhaps: what
	// earlier ones were sent and left when they were killed is removed.
	Launched bool
	// Workers is how many the launcher started in place of one, for the client to hear;
	// 0 or 1 where this is the only one.
	Workers int
	Version string // of Lathe, for the greeting
	// MemoryLimit is how much memory of its own the process may come to use, in
	// bytes; 0 leaves it to the system.
	MemoryLimit int64
	// Exit ends the process on the spot, as os.Exit does. The library is never
	// torn down: some providers hang in it.
	Exit func(code int)
}
