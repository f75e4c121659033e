package filter

import (
	"fmt"
	"unicode/utf8"

	"lathe/graphops"
)

// Error says what is wrong with an expression, and where.
type Error struct {
	// From and To are the bytes of the expression that are at fault.
	From, To int
	// Unfinished tells that the expression ends in the middle of something, as
	// it does while somebody is typing it.
	Unfinished bool
	// Missing tells that the expression is right, but names what is not there.
	Missing bool

	column int
	fault  string
	text   string
	// near finds names for the message, which takes long in a large graph and is
	// often not asked for while somebody is typing.
	near func() []string
}

// Error is one line: what is at fault, where, what was expected, and which names
// come near.
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

// Brief is the same without the names that come near, which take as long to find
// as a filter over all nodes.
func (e *Error) Brief() string {
	if e.fault != "" {
		return fmt.Sprintf("%q at column %d: %s", e.fault, e.column, e.text)
	}
	return fmt.Sprintf("column %d: %s", e.column, e.text)
}

// fault is an error about a part of an expression.
func fault(expr string, from, to int, format string, args ...any) *Error {
	return &Error{
		From: from, To: to, Unfinished: to >= len(expr),
		column: utf8.RuneCountInString(expr[:from]) + 1,
		fault:  expr[from:to],
		text:   fmt.Sprintf(format, args...),
	}
}
