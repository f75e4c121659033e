package filter

import (
	"slices"
	"strings"

	"lathe/graphops"
)

// test compares a field, or searches for text if there is none.
type test struct {
	from, to int // positions in the expression
	field    *field
	op       operator
	items    []text
}

// operator is a comparison operator.
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

// operators in the order in which they are tried: longer ones first.
var operators = []operator{opIsNot, opAtLeast, opAtMost, opHas, opIs, opMore, opLess}

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

// unknownField returns the error that the next word before an operator is not a field.
func (p *parser) unknownField(name string) *Error {
	e := fault(p.expr, p.at, p.at+len(name), "no field is called that")
	near := graphops.NearestNames(strings.ToLower(name), slices.Values(fieldNames))
	if len(near) == 0 {
		e.text += "; there are " + strings.Join(fieldNames, ", ")
	}
	e.near = func() []string { return near }
	return e
}

// head returns the name and the operator at the beginning of the next test, if it is one.
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

// isText reports whether what looks like a test is a name with colons: "local::Double", or
// "input:0" as TensorFlow names outputs.
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

// items reads what a test compares with: one text, and after a field several separated by commas.
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

// another reads the separator between two values of one field, and reports whether there was one. It
// is a comma, or a "|" without spaces around it. A "|" before another test, as in op:Add|in:x,
// separates tests and is left unread.
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
