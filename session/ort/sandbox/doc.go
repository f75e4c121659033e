// Package sandbox limits what a worker process can do. A worker runs foreign native code on models
// that nobody has checked, so a fault in that code must not give a model the rights of the user.
//
// The limits come in two stages. [Begin] runs before any foreign library is loaded. From then on the
// process cannot start programs, open sockets, trace or signal other processes, or write anywhere but
// in the folder for temporary files. [Narrow] runs before the first model is read, when it is known
// what that model needs. From then on only the files of the model, the runtime and its system
// libraries can be read, and only the worker's own folder can be written. Both stages hold for every
// thread, and neither can be undone.
//
// Files are limited by Landlock, system calls by a seccomp filter. Both are allow lists. A provider
// that needs more than the CPU has its own additions (see providers.go). docs/decisions/sandbox.md has
// the reasons.
package sandbox
