package filter

import "strings"

// Expr is a parsed expression that is not bound to a graph.
type Expr struct {
	source string
	root   clause
}

// String returns the expression as it was written.
func (e *Expr) String() string { return e.source }

// clause is a part of an expression: a test, or a combination of clauses.
type clause struct {
	kind clauseKind
	of   []clause // for clauseAll and clauseAny; one for clauseNot
	test *test
}

type clauseKind uint8

const (
	clauseAll clauseKind = iota
	clauseAny
	clauseNot
	clauseTest
)

// maxNesting is the maximum nesting of parentheses and negations, and maxLength the maximum number
// of bytes of an expression. Both protect against texts that nobody types.
const (
	maxNesting = 64
	maxLength  = 16 << 10
)

// Parse parses an expression. The error is an *Error.
func Parse(expr string) (*Expr, error) {
	e, err := parse(expr)
	if err != nil {
		return nil, err
	}
	return e, nil
}

func parse(expr string) (*Expr, *Error) {
	if len(expr) > maxLength {
		return nil, &Error{From: maxLength, To: len(expr), column: 1, text: "the filter is longer than 16 KiB"}
	}
	p := &parser{reader{expr: expr}, 0}
	root, err := p.any()
	if err == nil && p.at < len(expr) {
		err = fault(expr, p.at, p.at+1, `no "(" before it`)
	}
	if err != nil {
		return nil, err
	}
	return &Expr{expr, root}, nil
}

type parser struct {
	reader
	depth int
}

// end skips spaces, and reports whether the expression or the group in parentheses ends here.
func (p *parser) end() bool {
	p.skipSpace()
	return p.at == len(p.expr) || p.expr[p.at] == ')'
}

// word reads the keyword w if it comes next, and reports whether it did. It must not be the
// beginning of a longer word.
func (p *parser) word(w string) bool {
	p.skipSpace()
	rest, ok := strings.CutPrefix(p.expr[p.at:], w)
	if !ok || rest != "" && !isSpace(rest[0]) && !strings.ContainsRune("()|", rune(rest[0])) {
		return false
	}
	p.at += len(w)
	return true
}

// or reads a "|" or OR between alternatives, and reports whether there was one.
func (p *parser) or() bool {
	p.skipSpace()
	if p.at < len(p.expr) && p.expr[p.at] == '|' {
		p.at++
		return true
	}
	return p.word("OR")
}

func (p *parser) any() (clause, *Error) {
	c := clause{kind: clauseAny}
	for {
		from := p.at
		all, err := p.all()
		if err != nil {
			return c, err
		}
		more := p.or()
		if len(all.of) == 0 && (more || len(c.of) > 0) {
			return c, p.nothing(from, `expected a test or text on both sides of "|"`)
		}
		c.of = append(c.of, all)
		if !more {
			return c, nil
		}
	}
}

// nothing returns the error that a clause is missing between from and the current position.
func (p *parser) nothing(from int, text string) *Error {
	e := fault(p.expr, from, p.at, "%s", text)
	e.fault = ""
	e.Unfinished = p.end() && p.at == len(p.expr)
	return e
}

func (p *parser) all() (clause, *Error) {
	c := clause{kind: clauseAll}
	for {
		if len(c.of) > 0 && p.word("AND") && p.end() {
			return c, p.nothing(p.at, `expected a test or text behind "AND"`)
		}
		if p.end() || p.expr[p.at] == '|' || p.isAhead("OR") {
			return c, nil
		}
		one, err := p.tight()
		if err != nil {
			return c, err
		}
		c.of = append(c.of, one)
	}
}

// tight reads alternatives with a "|" without spaces between them. It binds tighter than a space:
// in "a b|c", the alternatives are b and c.
func (p *parser) tight() (clause, *Error) {
	c := clause{kind: clauseAny}
	for {
		one, err := p.one()
		if err != nil {
			return c, err
		}
		c.of = append(c.of, one)
		if !p.isTight() || p.at+1 == len(p.expr) {
			return c, nil
		}
		p.at++
	}
}

// isTight reports whether the next character is a "|" without a space before and after it. At the
// end of the expression no character after it is needed.
func (p *parser) isTight() bool {
	if p.at == 0 || isSpace(p.expr[p.at-1]) || !strings.HasPrefix(p.expr[p.at:], "|") {
		return false
	}
	rest := p.expr[p.at+1:]
	return rest == "" || !isSpace(rest[0]) && rest[0] != '|' && rest[0] != ')'
}

// isAhead reports whether the keyword w comes next, without reading it.
func (p *parser) isAhead(w string) bool {
	at := p.at
	ok := p.word(w)
	p.at = at
	return ok
}

func (p *parser) one() (clause, *Error) {
	from := p.at
	if p.depth++; p.depth > maxNesting {
		return clause{}, fault(p.expr, from, from+1, "nested deeper than %d", maxNesting)
	}
	defer func() { p.depth-- }()
	switch c := p.expr[p.at]; {
	case c == '-', c == '!':
		p.at++
		return p.negated(from)
	case p.word("NOT"):
		return p.negated(from)
	case c == '(':
		return p.group()
	default:
		t, err := p.test()
		return clause{kind: clauseTest, test: t}, err
	}
}

func (p *parser) negated(from int) (clause, *Error) {
	if p.end() || p.expr[p.at] == '|' {
		return clause{}, p.nothing(from, "expected a test or text behind the negation")
	}
	c, err := p.tight()
	return clause{kind: clauseNot, of: []clause{c}}, err
}

func (p *parser) group() (clause, *Error) {
	from := p.at
	p.at++
	c, err := p.any()
	if err != nil {
		return c, err
	}
	if p.at == len(p.expr) {
		e := fault(p.expr, from, from+1, `no ")" behind it`)
		e.Unfinished = true
		return c, e
	}
	p.at++
	return c, nil
}
