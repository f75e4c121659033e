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
	title: "names differ only in what tools fold together",
	about: `ONNX tells "input.1" and "input_1", "W" and "w" apart. What models are converted to and stored as often does not: converters
to TensorFlow, Core ML and C fold all but letters, digits and "_" in the names of inputs and outputs into "_", and an initializer that is
stored in a file of its name shares the file with another one on file systems that ignore case, those of Windows and macOS. One of the
two is then lost, or gets a number that nobody asked for.

"lathe rename" gives one of them a name that differs in more. As it is, the model is valid.`,
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

// identifier returns a name as converters change it to a valid identifier of programming
// languages.
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
	problem := in(p, "%s that differ in case or signs alone: %s%s", what, strings.Join(pairs, ", "), andMore(count))
	problem.Hint = "rename one of them where the model is converted, or its weights are stored in files of their names"
	report(problem)
}
