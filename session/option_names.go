package session

import "strings"

// Subject is the kind of name that the values of an option contain. Forms and completion offer the
// model's names of this kind.
type Subject int

// The subjects, each with the names that it includes.
const (
	NamesNothing   Subject = iota
	NamesNode              // by its name, or as #POSITION
	NamesValue             // an input, a constant, or an output of a node
	NamesInput             // an input that a run needs
	NamesAttribute         // an attribute of the operator that --op names, or of the nodes that --node names
	NamesAxis              // an axis of an input or output, as NAME:AXIS
	NamesSymbol            // a symbolic dimension
	NamesOp                // an operator of the model
	NamesOperator          // an operator that a new node can have
	NamesOperand           // an input of the operator that --op names
	NamesPlace             // a body or function, one level of nesting at a time
	NamesArgument          // an argument of a PyTorch model, by its path
)

// Naming sets which names the option's values begin with, and the text that follows a name, such as
// "=". then is "" if nothing follows.
func (o Option) Naming(s Subject, then string) Option {
	o.Names, o.Then = s, then
	return o
}

// NamingAtLeast does what Naming does, but the value may also be the name alone.
func (o Option) NamingAtLeast(s Subject, then string) Option {
	o.ThenOptional = true
	return o.Naming(s, then)
}

// InParts sets how a value that holds several values is divided, such as "a=1,b=2".
func (o Option) InParts(parts func(value string) []string) Option { o.parts = parts; return o }

// Parts returns the values that a value holds, which is most often the value itself.
func (o Option) Parts(v string) []string {
	if o.parts == nil {
		return []string{v}
	}
	return o.parts(v)
}

// Split splits a value into the name and the rest, which begins with Then. It splits at the last
// occurrence of Then, because names may contain that text.
func (o Option) Split(v string) (name, rest string) {
	if o.Then == "" {
		return v, ""
	}
	if i := strings.LastIndex(v, o.Then); i >= 0 {
		return v[:i], v[i:]
	}
	return v, ""
}
