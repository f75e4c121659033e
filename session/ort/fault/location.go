package fault

import (
	"regexp"
	"strings"
)

// location matches a position in the runtime's source code, which precedes a message.
var location = regexp.MustCompile(`^\S+\.(?:cc|h|cpp|cu|cuh|hpp|inl):\d+ `)

// skipLocation removes a position in the source code, the function's name or signature after it,
// and the failed condition.
func (p *parser) skipLocation() bool {
	at := location.FindString(p.rest)
	if at == "" {
		return false
	}
	p.rest = skipCondition(skipSignature(p.rest[len(at):]))
	return true
}

// skipSignature removes the name of a function, or its signature with template arguments as gcc
// writes it. Text that does not look like one is left.
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

var identifier = regexp.MustCompile(`^[A-Za-z_][\w:~<>]*(?:\(\))?$`)

// functionName distinguishes a function's name from the first word of a sentence, which has no
// second capital letter inside.
var functionName = regexp.MustCompile(`::|[a-z][A-Z]|^Compute$|^operator`)

func isIdentifier(word string) bool {
	return identifier.MatchString(word) && functionName.MatchString(word)
}

// closing returns the position of the matching closing bracket, or -1 if there is none.
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

// skipCondition removes a failed C++ condition if a message follows it.
func skipCondition(s string) string {
	const end = " was false."
	if i := strings.Index(s, end); i >= 0 && len(strings.TrimSpace(s[i+len(end):])) > 0 {
		return strings.TrimSpace(s[i+len(end):])
	}
	return s
}
