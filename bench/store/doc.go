// Package store keeps what was measured as files: one for each result, which is
// written whole or not at all and never changed. Such a file is what a later
// measurement is compared with (Compare), and a folder of them is the history of
// a model (Folder, History).
//
// A file holds the JSON document of the command that measured, as it was
// answered, in an envelope that tells what the document leaves to whoever looks
// at the screen: when, on which machine, of which model by its content, and under
// which settings. What a file says is data, whoever wrote it: readers check what
// they use, and writers to a terminal or a page clean it.
//
// # When a result is kept
//
// A result is kept before it is printed, so that a dropped connection loses the terminal and not
// the measurement. A measurement that an error or a signal ends is kept as far as it got, if
// that is enough for an interval. A result that cannot be kept is a warning. Files are never
// changed, so writers need no lock. Models are recognized by what they hold (graphops.DigestOf),
// not by where they are.
package store
