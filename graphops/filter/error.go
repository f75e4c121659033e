package filter

import (
	"fmt"
	"unicode/utf8"

	"lathe/graphops"
)

// Error says what is wrong in an expression, and where.
type Error struct {
	// From and To are the positions of the wrong bytes in the expression.
	From, To int
	// Unfinished reports that the error is at the end of the expression, so that it may be right
	// when more has been typed.
	Unfinished bool
	// Missing reports that the expression is well-formed, but that nothing in the graph has a name
	// in it.
	Missing bool

	column int
	fault  string
	text   string
	// near returns similar names. Finding them takes long in a large graph, and the message is
	// often not needed while an expression is typed.
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

// Brief returns the same line without similar names, so that it is fast in a large graph.
func (e *Error) Brief() string {
	if e.fault != "" {
		return fmt.Sprintf("%q at column %d: %s", e.fault, e.column, e.text)
	}
	return fmt.Sprintf("column %d: %s", e.column, e.text)
}

// fault returns an error about the bytes from..to of an expression.
func fault(expr string, from, to int, format string, args ...any) *Error {
	return &Error{
		From: from, To: to, Unfinished: to >= len(expr),
		column: utf8.RuneCountInString(expr[:from]) + 1,
		fault:  expr[from:to],
		text:   fmt.Sprintf(format, args...),
	}
}
