package session

import "strings"

// Subject is what the values of an option name in a model, so that a face can
// offer what there is.
type Subject int

// The subjects.
const (
	NamesNothing   Subject = iota
	NamesNode              // by its name, or as #POSITION
	NamesValue             // what a node makes or an input brings, or a constant
	NamesAttribute         // of the nodes that --node names
	NamesAxis              // of an input or output, as NAME:AXIS
	NamesSymbol            // of a dimension
	NamesOp                // an operator
	NamesPlace             // one more hop of a place
	NamesArgument          // what a PyTorch model is called with, by its path
)

// Naming says what the option's values name, and what follows the name, "" for
// nothing.
func (o Option) Naming(s Subject, then string) Option {
	o.Names, o.Then = s, then
	return o
}

// Split takes a value apart into the name in it and what follows, which begins
// with Then. Names can hold the same sign, so it is the last one that counts.
func (o Option) Split(v string) (name, rest string) {
	if o.Then == "" {
		return v, ""
	}
	if i := strings.LastIndex(v, o.Then); i >= 0 {
		return v[:i], v[i:]
	}
	return v, ""
}
