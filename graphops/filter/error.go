package filter

import (
	"fmt"
	"unicode/utf8"

	"lathe/graphops"
)

// Error says what is wrong in an expression, and where.
type Error struct {
	// From and To delimit the wrong bytes of the expression.
	From, To int
	// Unfinished reports that the expression ends in the middle of something, as while it is being
	// typed.
	Unfinished bool
	// Missing reports that the expression is valid but names something that does not exist.
	Missing bool

	column int
	fault  string
	text   string
	// near finds similar names for the message. This takes long in a large graph and is often not
	// needed while the expression is being typed.
	near func() []string
}

// Error returns one line: what is wrong, where, what was expected, and similar names.
func (e *Error) Error() string {
	s := e.Brief()
	if e.near == nil {
		return s
	}
	if names := e.near(); len(names) > 0 {
		s += "; nearest names: " + graphops.QuoteNames(names)
	}
	return s
}

// Brief returns the same without similar names, which take as long to find as filtering all nodes.
func (e *Error) Brief() string {
	if e.fault != "" {
		return fmt.Sprintf("%q at column %d: %s", e.fault, e.column, e.text)
	}
	return fmt.Sprintf("column %d: %s", e.column, e.text)
}

// fault returns an error about a part of an expression.
func fault(expr string, from, to int, format string, args ...any) *Error {
	return &Error{
		From: from, To: to, Unfinished: to >= len(expr),
		column: utf8.RuneCountInString(expr[:from]) + 1,
		fault:  expr[from:to],
		text:   fmt.Sprintf(format, args...),
	}
}
