// Package worker is the child process that runs ONNX Runtime for Lathe. It is the only package that
// loads the library. If the library crashes, hangs, or is killed because memory has run out, only
// the worker is lost and Lathe continues.
//
// The Go package onnxruntime_go provides the environment, the session options and the execution
// providers; here it is called the binding. Values, sessions and runs use Lathe's own thin layer
// (api.h) on the same library. That layer keeps error codes, reads tensors of every element type
// and rank without a copy, and measures runs in C.
//
// # The binding
//
// The binding does not export the handle of its session options, so handle.go reads it from the
// binding's struct. That is the only such place, and TestBindingLayout fails if the struct changes.
// Everything else uses the runtime's function table (api.h). A test compiles every line of api.h
// against the official header.
package worker

import (
	"os"

	"lathe/session/ort/plugin"
	"lathe/session/ort/sandbox"
)

// Config is what a worker needs to know about its process.
type Config struct {
	// In and Out are standard input and output, over which the worker talks to the client. Err is
	// standard error, which receives what the library prints.
	In, Out, Err *os.File
	Library      string // path of the ONNX Runtime library
	// NoLibrary is the reason why no library was found, or nil; it is sent to the client.
	NoLibrary error
	// Plugins returns the libraries of execution providers beside ONNX Runtime. It is called when one
	// may be needed, when this process can start no other program any more. It may be nil.
	Plugins func() []plugin.Library
	// Launched is set if a launcher started the worker, perhaps for another machine. Files that
	// earlier, killed workers left behind are then removed.
	Launched bool
	// Workers is how many workers the launcher started at once; the client is told if it is more
	// than one. 0 and 1 mean that this is the only one.
	Workers int
	Version string // of Lathe, for the greeting
	// Sandbox says whether this process is limited before it opens the library.
	Sandbox sandbox.Mode
	// MemoryLimit is how much private memory the process may use beyond what it uses at its start,
	// in bytes. 0 means no limit beyond the system's.
	MemoryLimit int64
	// Exit ends the process immediately, as os.Exit does. The library is never shut down, because
	// some providers hang when it is.
	Exit func(code int)
}
