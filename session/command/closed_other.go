//go:build !cgo

package command

// stdoutWasClosed reports whether the process was started without a standard output. Only a constructor
// in C can know that.
func stdoutWasClosed() bool { return false }
