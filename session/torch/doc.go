// Package torch drives the PyTorch of the user's own Python: a child imports the model, tells
// how it is called, exports it, and runs it beside what was exported. Nothing of Python is read
// or unpickled here; tensors come and go as their elements in files.
//
// The child answers one question after the other (bridge/main.py). What the user's code or
// PyTorch raises is data, a failure.Raw; that the child ends without a word is one too.
package torch
