package fault

import (
	"strings"

	"lathe/graphops/pattern"
)

// location matches a position in the runtime's source code, such as "graph.cc:1234 ", which can
// precede a message.
var location = pattern.New(`^\S+\.(?:cc|h|cpp|cu|cuh|hpp|inl):\d+ `)

// skipLocation removes a position in the runtime's source code from the start of the text, together
// with the function's name or signature and the failed condition that follow it. It reports whether
// there was one.
func (p *parser) skipLocation() bool {
	at := location.FindString(p.rest)
	if at == "" {
		return false
	}
	p.rest = skipCondition(skipSignature(p.rest[len(at):]))
	return true
}

// skipSignature removes the name of a C++ function from the start of s, or its signature with
// template arguments as gcc writes it. It returns s unchanged if s does not start with one.
func skipSignature(s string) string {
	word, after, _ := strings.Cut(s, " ")
	open := strings.IndexByte(s, '(')
	if open < 0 || !isSignature(s[:open]) {
		if isIdentifier(word) {
			return after
		}
		return s
	}
	for open < len(s) && s[open] == '(' {
		if open = closing(s, open, '(', ')'); open < 0 {
			return s
		}
		open++
		if strings.HasPrefix(s[open:], "::<lambda") {
			open += len("::<lambda")
		}
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(s[open:], ">"), " const")
	if strings.HasPrefix(rest, " [with ") {
		if end := closing(rest, 1, '[', ']'); end >= 0 {
			rest = rest[end+1:]
		}
	}
	return strings.TrimPrefix(rest, " ")
}

// isSignature reports whether a text that precedes a parenthesis looks like a C++ function's result
// type and qualified name.
func isSignature(s string) bool {
	name := s[strings.LastIndexByte(s, ' ')+1:]
	return strings.Contains(name, "::") || strings.HasSuffix(name, "operator")
}

var identifier = pattern.New(`^[A-Za-z_][\w:~<>]*(?:\(\))?$`)

// functionName distinguishes a function's name from the first word of a sentence, which has no
// second capital letter inside.
var functionName = pattern.New(`::|[a-z][A-Z]|^Compute$|^operator`)

func isIdentifier(word string) bool {
	return identifier.MatchString(word) && functionName.MatchString(word)
}

// closing returns the position of the bracket that closes the opening bracket at position at, or -1
// if no bracket closes it.
func closing(s string, at int, open, end byte) int {
	depth := 0
	for i := at; i < len(s); i++ {
		switch s[i] {
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// skipCondition removes the C++ condition that failed from the start of s, if a message follows it.
func skipCondition(s string) string {
	const end = " was false."
	if i := strings.Index(s, end); i >= 0 && len(strings.TrimSpace(s[i+len(end):])) > 0 {
		return strings.TrimSpace(s[i+len(end):])
	}
	return s
}
