package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"lathe/graphops"
)

var nameCollision = rule{
	code: "name-collision", severity: Info,
	title: "names differ only in characters that other tools treat as equal",
	about: `In ONNX "input.1" and "input_1" are different names, and so are "W" and "w". Other formats often do
not distinguish them. Converters to TensorFlow, Core ML and C replace everything except letters,
digits and "_" in the names of inputs and outputs by "_". If initializers are stored in files that
have their names, two of them share a file on file systems that ignore case (Windows, macOS). One of
the two is then lost, or gets an unexpected number appended.

"lathe rename" changes one of the names. The model itself is valid.`,
	model: collidingNames,
}

func collidingNames(s *subject, report reporter) {
	g := s.model.Graph()
	var interfaceNames, constants []string
	for _, v := range slices.Concat(g.Inputs(), g.Outputs()) {
		interfaceNames = append(interfaceNames, v.Name())
	}
	for _, t := range g.Initializers() {
		constants = append(constants, t.Name())
	}
	main := s.model.Places()[0]
	colliding(main, "inputs and outputs", interfaceNames, identifier, report)
	colliding(main, "initializers", constants, strings.ToLower, report)
}

// identifier returns the name that converters make of a name so that it is an identifier of
// programming languages.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return '_'
	}, name)
}

// colliding reports the names of one kind that become equal under fold, all in one problem.
func colliding(p *graphops.Place, what string, names []string, fold func(string) string, report reporter) {
	first := make(map[string]string, len(names))
	var pairs []string
	count := 0
	for _, name := range names {
		key := fold(name)
		before, ok := first[key]
		if !ok {
			first[key] = name
		}
		if !ok || before == name {
			continue
		}
		if count++; count <= fewTold {
			pairs = append(pairs, fmt.Sprintf("%q and %q", before, name))
		}
	}
	if count == 0 {
		return
	}
	problem := in(p, "%s that differ only in case or punctuation: %s%s", what, strings.Join(pairs, ", "), andMore(count))
	problem.Hint = "rename one of them if you convert the model, or store its weights in files with these names"
	report(problem)
}
