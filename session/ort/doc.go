// Package ort finds ONNX Runtime on the machine, installs it, and runs models on it through a
// worker process. It does not load the library itself (package worker does) and builds without cgo.
//
// # What a worker can do to its client
//
// A worker runs native code on hostile models, so a client expects anything from it. An answer must be
// of the kind that the request has, name the values that were requested, in their order, and have the
// results about them that were requested and no others. Otherwise the worker is killed, and the calls in
// progress return a *CrashError that says what was wrong.
//
// What a client takes for the messages of a worker, and makes of them, is at most 512 MiB for each call in
// progress. The elements of values come on top, up to Options.MaxAnswer for one answer (half of the
// machine's memory by default), and as much again while memory for them grows; a value that does not fit
// is an error before it arrives. Values with a Want.Into go to its writer and do not count. Of standard
// error the last 64 KiB are kept.
//
// A worker that sends nothing for Options.Silence (two minutes by default) although a request is in
// progress is killed. One that computes for hours is not silent: it reports every five seconds that it
// is alive. How long a request may take is Options.Limit.
//
// The texts of errors, of notes and of progress are one line that can be printed. Names of values, of
// nodes and of their types, messages of the log and ep.Device are as they came. Whoever prints them
// cleans them (session/text). A file that a worker names is opened only if it belongs to the model or
// if the worker made it.
package ort
