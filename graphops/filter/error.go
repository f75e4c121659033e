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
}

// Error is one line: what is at fault, where, and what was expected.
func (e *Error) Error() string {
	if e.fault == "" {
		return fmt.Sprintf("column %d: %s", e.column, e.text)
	}
	return fmt.Sprintf("%q at column %d: %s", e.fault, e.column, e.text)
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

// nearest offers names that are like one that does not exist.
func nearest(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; nearest names: " + graphops.QuoteNames(names)
}
