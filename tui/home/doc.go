// Package home is the screen that opens if no model is named: a list of the models in this folder
// and of sessions that were interrupted, which typing narrows.
//
// app is the tea.Model. Update does no work and View writes nothing. Everything that waits for a
// disk is a command:
//
//   - walk looks for models, one folder at a time.
//   - lanes open the models, several at once, and take each file from a queue. So a file that does
//     not answer holds up one lane and no other file. Rows that show come first.
//   - a search ranks names with a copy of the list, and is dropped if more was typed meanwhile.
//   - sessions and results are read once.
//
// A file is opened like any model: its structure is read and its weights are not. If that fails,
// the row says why. It can still be chosen, and whoever opens it reports the error.
//
// A stored latency is shown only if it is of the file as it is: the same path, not modified since,
// and the same structure.
package home
