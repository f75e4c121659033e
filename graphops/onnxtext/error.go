package onnxtext

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error is a mistake in a text.
type Error struct {
	Line, Column int    // of the first wrong character, from 1
	Found        string // the text there, in the form of a message
	Expected     string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.message())
}

func (e *Error) message() string { return fmt.Sprintf("found %s, expected %s", e.Found, e.Expected) }

// expected returns an error that what was expected at the next character.
func (p *parser) expected(what string) error {
	p.skip()
	return p.errorAt(p.pos, what)
}

func (p *parser) errorAt(pos int, what string) error {
	before := p.in[:pos]
	start := strings.LastIndexByte(before, '\n') + 1
	return &Error{
		Line:     strings.Count(before, "\n") + 1,
		Column:   utf8.RuneCountInString(before[start:]) + 1,
		Found:    found(p.in[pos:]),
		Expected: what,
	}
}

// found returns the first word, number, string or character of the rest of a text, for an error
// message.
func found(s string) string {
	if s == "" {
		return "the end of the text"
	}
	if strings.HasPrefix(s, "...") {
		return `"...", which stands for elements that were left out`
	}
	n := 0
	for n < len(s) && (inWord(s[n]) || s[n] == '.' || n == 0 && s[n] == '-') {
		n++
	}
	if n == 0 {
		_, n = utf8.DecodeRuneInString(s)
	}
	if s[0] == '"' {
		if n = 1 + strings.IndexByte(s[1:], '"') + 1; n == 1 {
			n = len(s)
		}
	}
	const most = 40
	if n > most {
		return strconv.Quote(s[:most]) + "…"
	}
	return strconv.Quote(s[:n])
}
