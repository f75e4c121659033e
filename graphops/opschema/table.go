package opschema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"lathe/graphops"
)

// table is the index of table.txt: it has the position of each operator in the text.
type table struct {
	from      map[string]string // version by package
	latest    map[string]int64  // version by domain
	sets      map[string]*set
	operators map[operator][]*entry // oldest first
}

type operator struct{ domain, name string }

// entry is the position of an operator in the text. It also has the schema, after it was parsed.
type entry struct {
	domain, name string
	since        int64
	lines        string // from its op line to the next one
	number       int    // line number of the op line
	parsed       atomic.Pointer[Schema]
}

// set is a named list of types.
type set struct {
	text   string
	parsed atomic.Pointer[[]graphops.Type]
}

// types returns the types of the set. They are parsed on the first call.
func (s *set) types() ([]graphops.Type, error) {
	if list := s.parsed.Load(); list != nil {
		return *list, nil
	}
	list, err := parseTypes(s.text)
	if err != nil {
		return nil, err
	}
	s.parsed.CompareAndSwap(nil, &list)
	return *s.parsed.Load(), nil
}

// schema returns the schema of the entry. It parses it on the first call and then always returns
// the same one. It may be called concurrently.
func (e *entry) schema(t *table) *Schema {
	if s := e.parsed.Load(); s != nil {
		return s
	}
	s, err := t.parse(e)
	if err != nil {
		panic(broken(err))
	}
	e.parsed.CompareAndSwap(nil, s)
	return e.parsed.Load()
}

// indexer reads the lines of table.txt that do not belong to an operator, and skips the others.
type indexer struct {
	table
	domain string
	open   *entry // the operator whose lines are being skipped
	start  int    // where its lines start
}

// index finds the operators in the text of a table without parsing them.
func index(text string) (*table, error) {
	x := indexer{table: table{
		from: map[string]string{}, latest: map[string]int64{}, sets: map[string]*set{}, operators: make(map[operator][]*entry, 512),
	}}
	number, at := 0, 0
	for line := range strings.Lines(text) {
		number++
		if err := x.line(strings.TrimSuffix(line, "\n"), number, at, text); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		at += len(line)
	}
	x.end(text)
	return &x.table, nil
}

func (x *indexer) line(line string, number, at int, text string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "op":
		x.end(text[:at])
		x.start = at
		return x.operator(rest, number)
	case "in", "out", "attr", "type":
		if x.open == nil {
			return fmt.Errorf("%q is outside of an operator", line)
		}
		return nil
	}
	x.end(text[:at])
	if line == "" || strings.HasPrefix(line, "#") {
		return nil
	}
	return x.statement(word, rest)
}

// end ends the current operator, whose lines extend to the end of text.
func (x *indexer) end(text string) {
	if x.open != nil {
		x.open.lines = text[x.start:]
		x.open = nil
	}
}

func (x *indexer) operator(rest string, number int) error {
	name, rest, _ := strings.Cut(rest, " ")
	version, _, _ := strings.Cut(rest, " ")
	since, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		return fmt.Errorf("the version of %q: %w", name, err)
	}
	switch {
	case name == "":
		return errors.New("an operator needs a name")
	case x.latest[x.domain] == 0:
		return fmt.Errorf("%q is not in a domain", name)
	}
	key := operator{x.domain, name}
	before := x.operators[key]
	if n := len(before); n > 0 && before[n-1].since >= since {
		return fmt.Errorf("versions of %q are out of order: %d comes after %d", name, since, before[n-1].since)
	}
	x.open = &entry{domain: x.domain, name: name, since: since, number: number}
	x.operators[key] = append(before, x.open)
	return nil
}

// statement reads a line that does not belong to an operator.
func (x *indexer) statement(word, rest string) error {
	name, rest, ok := strings.Cut(rest, " ")
	if !ok {
		return fmt.Errorf("%q needs a name and a value", word)
	}
	switch word {
	case "from":
		x.from[name] = rest
	case "set":
		if x.sets[name] != nil {
			return fmt.Errorf("set %q occurs twice", name)
		}
		x.sets[name] = &set{text: rest}
	case "domain":
		return x.enter(graphops.NormalDomain(name), rest)
	default:
		return fmt.Errorf("%q is not one of from, set, domain, op, in, out, attr, type", word)
	}
	return nil
}

func (x *indexer) enter(domain, version string) error {
	latest, err := strconv.ParseInt(version, 10, 64)
	if err == nil && (latest < 1 || x.latest[domain] != 0) {
		err = errors.New("needs a version from 1 on, once")
	}
	x.domain, x.latest[domain] = domain, latest
	if err != nil {
		return fmt.Errorf("domain %q: %w", domain, err)
	}
	return nil
}
