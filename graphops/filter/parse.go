package filter

import (
	"slices"
	"strings"

	"lathe/graphops"
)

// Expr is a filter that was read and is bound to no graph yet.
type Expr struct {
	source string
	root   clause
}

// String is the expression as it was written.
func (e *Expr) String() string { return e.source }

// clause is a part of an expression.
type clause struct {
	kind clauseKind
	of   []clause // of clauseAll, clauseAny, and the one of clauseNot
	test *test
}

type clauseKind uint8

const (
	clauseAll clauseKind = iota
	clauseAny
	clauseNot
	clauseTest
)

// test compares a field, or looks for text where there is none.
type test struct {
	from, to int // in the expression
	field    *field
	op       operator
	items    []text
}

// operator is how a test compares.
type operator string

const (
	opHas     operator = ":"
	opIs      operator = "="
	opIsNot   operator = "!="
	opAtLeast operator = ">="
	opAtMost  operator = "<="
	opMore    operator = ">"
	opLess    operator = "<"
)

// operators in the order in which they are looked for: longer ones first.
var operators = []operator{opIsNot, opAtLeast, opAtMost, opHas, opIs, opMore, opLess}

// maxNesting bounds parentheses and negations, maxLength the bytes of an
// expression; both are far above what is typed.
const (
	maxNesting = 64
	maxLength  = 16 << 10
)

// Parse reads an expression. The error is an *Error.
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

// end reports whether nothing more belongs to the clauses being read.
func (p *parser) end() bool {
	p.skipSpace()
	return p.at == len(p.expr) || p.expr[p.at] == ')'
}

// word takes a keyword, which must not go on.
func (p *parser) word(w string) bool {
	p.skipSpace()
	rest, ok := strings.CutPrefix(p.expr[p.at:], w)
	if !ok || rest != "" && !isSpace(rest[0]) && !strings.ContainsRune("()|", rune(rest[0])) {
		return false
	}
	p.at += len(w)
	return true
}

// or takes what stands between alternatives.
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

// nothing is the fault that a clause is missing where the reader stands.
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

// tight reads alternatives without spaces between them: in "a b|c" the "|" parts
// b from c alone, as it looks.
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

// isTight reports whether a "|" comes next that no space is around; the end of
// the expression is none.
func (p *parser) isTight() bool {
	if p.at == 0 || isSpace(p.expr[p.at-1]) || !strings.HasPrefix(p.expr[p.at:], "|") {
		return false
	}
	rest := p.expr[p.at+1:]
	return rest == "" || !isSpace(rest[0]) && rest[0] != '|' && rest[0] != ')'
}

// isAhead reports whether a keyword comes next.
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

// test reads one test, or text.
func (p *parser) test() (*test, *Error) {
	t := &test{from: p.at}
	name, op := p.head()
	if op != "" && !p.isText(name, op) {
		t.field, t.op = fieldNamed(name), op
		if t.field == nil {
			return nil, p.unknownField(name)
		}
		if !t.field.takes(op) {
			return nil, fault(p.expr, t.from, t.from+len(name)+len(op), "expected %s behind it", t.field.operators())
		}
		p.at += len(name) + len(op)
	}
	err := p.items(t)
	t.to = p.at
	return t, err
}

// unknownField is the fault that the next word before an operator is no field.
func (p *parser) unknownField(name string) *Error {
	e := fault(p.expr, p.at, p.at+len(name), "no field is called that")
	near := graphops.NearestNames(strings.ToLower(name), slices.Values(fieldNames))
	if len(near) == 0 {
		e.text += "; there are " + strings.Join(fieldNames, ", ")
	}
	e.near = func() []string { return near }
	return e
}

// head is the name and the operator that the next test begins with, if it is
// one.
func (p *parser) head() (name string, op operator) {
	rest := p.expr[p.at:]
	n := 0
	for n < len(rest) && (lowerByte(rest[n]) >= 'a' && lowerByte(rest[n]) <= 'z' || rest[n] == '_') {
		n++
	}
	if n == 0 {
		return "", ""
	}
	for _, op := range operators {
		if strings.HasPrefix(rest[n:], string(op)) {
			return rest[:n], op
		}
	}
	return "", ""
}

// isText reports whether what looks like a test is a name with colons in it:
// "local::Double", or "input:0" as TensorFlow names outputs.
func (p *parser) isText(name string, op operator) bool {
	if op != opHas {
		return false
	}
	rest := p.expr[p.at+len(name)+1:]
	if strings.HasPrefix(rest, ":") {
		return true
	}
	n := 0
	for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	if n == 0 || n < len(rest) && !isSpace(rest[n]) && !strings.ContainsRune("|)", rune(rest[n])) {
		return false
	}
	f := fieldNamed(name)
	return f == nil || f.isName
}

// items reads what a test compares with: one text, and behind a field as many as
// commas part.
func (p *parser) items(t *test) *Error {
	for {
		item, err := p.text(t.field != nil)
		if err != nil {
			return err
		}
		if item.s == "" && item.quoted == nil {
			e := fault(p.expr, t.from, p.at, "expected %s behind it", t.field.wants)
			e.Unfinished = p.at == len(p.expr)
			return e
		}
		t.items = append(t.items, item)
		if t.field == nil || !p.another() {
			return nil
		}
	}
}

// another takes what parts two items of one field: a comma, or a tight "|" before
// what is no test of its own.
func (p *parser) another() bool {
	if p.at == len(p.expr) || p.expr[p.at] != ',' && !p.isTight() {
		return false
	}
	p.at++
	if p.expr[p.at-1] == ',' || p.at == len(p.expr) {
		return true
	}
	if name, op := p.head(); strings.IndexByte("(-!", p.expr[p.at]) >= 0 || op != "" && !p.isText(name, op) {
		p.at--
		return false
	}
	return true
}
