// Package store keeps measurements as files, one for each result. A file is written completely or
// not at all, and never changed. A later measurement can be compared with such a file (PairUp,
// Pairing.Against), and a folder of them is the history of a model (Folder, History).
//
// A file contains the JSON document of the command that measured, in an envelope with what the
// document leaves out: when, on which machine, of which model (by its content), and with which
// settings. The contents of a file are untrusted. Code that reads a file checks what it uses, and
// code that writes to a terminal or a page removes characters that are not safe to print.
//
// # When a result is kept
//
// A result is kept before it is printed, so that a dropped connection loses only the output on the
// terminal. If an error or a signal ends a measurement, the part so far is kept if it is enough for
// an interval. If a result cannot be kept, there is a warning. Files are never changed, so writers
// need no lock. Models are recognized by their content (graphops.DigestOf), not by their path.
package store
