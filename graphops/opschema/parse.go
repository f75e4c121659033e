package opschema

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"lathe/graphops"
)

// parse parses the lines of an operator.
func (t *table) parse(e *entry) (*Schema, error) {
	s := &Schema{Domain: e.domain, Name: e.name, Since: e.since}
	number := e.number
	for line := range strings.Lines(e.lines) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if err := t.field(s, word, rest); err != nil {
			return nil, fmt.Errorf("line %d: %s of %s-%d: %w", number, word, e.name, e.since, err)
		}
		number++
	}
	s.MinInputs, s.MaxInputs = counts(s.Inputs)
	s.MinOutputs, s.MaxOutputs = counts(s.Outputs)
	for _, list := range [][]Param{s.Inputs, s.Outputs} {
		for i := range list {
			if err := s.resolve(&list[i]); err != nil {
				return nil, fmt.Errorf("line %d: %s-%d: %w", e.number, e.name, e.since, err)
			}
		}
	}
	return s, nil
}

func (t *table) field(s *Schema, word, rest string) error {
	switch word {
	case "op":
		return s.flags(strings.Fields(rest)[2:])
	case "in":
		return setParams(&s.Inputs, rest)
	case "out":
		return setParams(&s.Outputs, rest)
	case "attr":
		return s.addAttribute(rest)
	default: // "type"; the index allows no other word
		return t.addConstraint(s, rest)
	}
}

func (s *Schema) flags(words []string) error {
	for _, w := range words {
		switch w {
		case "deprecated":
			s.Deprecated = true
		case "function":
			s.Function = true
		case "runtime":
			s.Runtime = true
		default:
			return fmt.Errorf("%q is not one of deprecated, function, runtime", w)
		}
	}
	return nil
}

func (s *Schema) addAttribute(rest string) error {
	a, err := parseAttribute(rest)
	if err != nil {
		return err
	}
	if _, ok := s.Attribute(a.Name); ok {
		return fmt.Errorf("%q occurs twice", a.Name)
	}
	s.Attributes = append(s.Attributes, a)
	return nil
}

func (t *table) addConstraint(s *Schema, rest string) error {
	name, list, _ := strings.Cut(rest, " ")
	if _, ok := s.Constraint(name); ok {
		return fmt.Errorf("%q occurs twice", name)
	}
	types, err := t.types(list)
	if err != nil {
		return err
	}
	s.Constraints = append(s.Constraints, Constraint{name, types})
	return nil
}

// types parses a list of types. For "@NAME" it returns the types of the set with that name.
func (t *table) types(list string) ([]graphops.Type, error) {
	name, isName := strings.CutPrefix(list, "@")
	if !isName {
		return parseTypes(list)
	}
	if t.sets[name] == nil {
		return nil, fmt.Errorf("there is no set %q", name)
	}
	return t.sets[name].types()
}

// resolve sets the types that a parameter allows: those of its type variable, or the single type
// that it names.
func (s *Schema) resolve(p *Param) (err error) {
	if c, ok := s.Constraint(p.Type); ok {
		p.types = c.Types
		return nil
	}
	if p.types, err = parseTypes(p.Type); err != nil {
		return fmt.Errorf("%q is neither a type nor a variable: %w", p.Type, err)
	}
	return nil
}

func setParams(list *[]Param, rest string) error {
	if len(*list) > 0 {
		return errors.New("occurs twice")
	}
	for word := range strings.SplitSeq(rest, " ") {
		p, err := parseParam(word)
		if err != nil {
			return fmt.Errorf("%q: %w", word, err)
		}
		if n := len(*list); n > 0 && (*list)[n-1].Option == Variadic {
			return fmt.Errorf("%q follows a variadic parameter", word)
		}
		*list = append(*list, p)
	}
	return nil
}

func parseParam(word string) (Param, error) {
	name, typ, ok := strings.Cut(word, ":")
	if !ok || typ == "" {
		return Param{}, errors.New("needs a type after a colon")
	}
	p := Param{Type: typ, MinArity: 1}
	name, differ := strings.CutSuffix(name, "~")
	p.Homogeneous = !differ
	if before, least, ok := strings.Cut(name, "*"); ok {
		n, err := strconv.ParseUint(least, 10, 8)
		if err != nil {
			return Param{}, fmt.Errorf("the least number: %w", err)
		}
		name, p.Option, p.MinArity = before, Variadic, int(n)
	} else if before, ok := strings.CutSuffix(name, "?"); ok {
		name, p.Option = before, Optional
	}
	if name == "" || differ && p.Option != Variadic {
		return Param{}, errors.New("expected NAME, NAME? or NAME*N, with ~ after a number only")
	}
	p.Name = name
	return p, nil
}

// counts returns the smallest and the largest number of inputs or outputs that a node can have.
func counts(params []Param) (least, most int) {
	for _, p := range params {
		if p.Option == Variadic {
			return most + p.MinArity, math.MaxInt
		}
		most++
		if p.Option == Single {
			least = most
		}
	}
	return least, most
}
