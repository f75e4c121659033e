package filter

import (
	"slices"
	"strings"

	"lathe/graphops"
)

// test is one comparison of a field with items. If field is nil, it searches for the text that is
// its only item.
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

// operators lists the comparison operators. One that begins with another one comes first.
var operators = []operator{opIsNot, opAtLeast, opAtMost, opHas, opIs, opMore, opLess}

// test reads one test, or a text without a field.
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

// unknownField returns the error that name, which is followed by an operator, is not a field.
func (p *parser) unknownField(name string) *Error {
	e := fault(p.expr, p.at, p.at+len(name), "no field is called that")
	near := graphops.NearestNames(strings.ToLower(name), slices.Values(fieldNames))
	if len(near) == 0 {
		e.text += "; there are " + strings.Join(fieldNames, ", ")
	}
	e.near = func() []string { return near }
	return e
}

// head returns the name and operator with which the next test begins, without reading them. Both
// are "" if no test comes next.
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

// isText reports whether something that looks like a test is a text with colons, such as the
// operator "local::Double", or "input:0" as TensorFlow names outputs.
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

// items reads the items of a test. A text without a field has one; a field can have several,
// separated by commas.
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

// another reads the separator between two items of a field, and reports whether there was one. The
// separator is a comma or a "|" without spaces around it. If a test follows the "|", as in
// op:Add|in:x, the "|" separates two tests and is not read.
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
