package check

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"lathe/graphops"
)

var nodeNameDuplicate = rule{
	code: "node-name-duplicate", severity: Error,
	title: "two nodes of a graph have one name",
	about: `ONNX Runtime refuses a graph in which two nodes have the same name ("two nodes with same node name"); onnx.checker takes it,
for the standard wants node names to be unique only where they are used. Nodes of different graphs, such as those of two branches, may
share a name, and so may Constant nodes, which become initializers, and nodes without a name. Functions that nothing calls are not looked at.

It comes from nodes that were copied and from merging models. "lathe rename" gives one of them another name.`,
	place: duplicateNodeNames,
}

func duplicateNodeNames(s *subject, p *graphops.Place, report reporter) {
	first := make(map[string]int, len(p.Graph.Nodes()))
	for i, n := range p.Graph.Nodes() {
		if _, ok := first[n.Name()]; !ok && !isConstant(n) {
			first[n.Name()] = i
		}
	}
	numbers := numbering{}
	taken := func(name string) bool {
		_, ok := first[name]
		return ok
	}
	for i, n := range p.Graph.Nodes() {
		before, ok := first[n.Name()]
		if n.Name() == "" || !ok || before == i || isConstant(n) {
			continue
		}
		problem := of(site{n, p, i}, "node %d (%s) has this name too", before, p.Graph.Nodes()[before].OpType())
		problem.Severity = s.orWarning(p)
		problem.Hint = "give one of them another name"
		name := n.Name() + "_" + fmt.Sprint(i)
		if taken(name) {
			name = numbers.free(name, taken)
		}
		first[name] = i
		problem.Fix = fixAt(p, "rename", "node", fmt.Sprintf("#%d=%s", i, name))
		report(problem)
	}
}

var nameEmpty = rule{
	code: "name-empty", severity: Error,
	title: "an input or output has no name",
	about: `What a graph takes and gives must have a name: the empty one means, in a list of inputs or outputs of a node, that something
is left out. ONNX Runtime refuses an output without a name ("Graph output () does not exist in the graph"), and in a body also an input.
In the main graph it takes an input without a name, which no node can read and every run must be given all the same, by the empty name.
onnx.checker refuses both. An input or output of a function without a name makes ONNX Runtime refuse the model, called or not.

It comes from tools that build the lists by hand. Take it away, or name it.`,
	place: emptyNames,
}

func emptyNames(s *subject, p *graphops.Place, report reporter) {
	unnamed := func(what string, list []*graphops.ValueInfo, severity Severity) {
		for i, v := range list {
			if v.Name() != "" {
				continue
			}
			problem := in(p, "%s %d has no name", what, i)
			problem.Severity, problem.Hint = severity, "take it away, or give it a name"
			report(problem)
		}
	}
	severity := s.orWarning(p)
	switch p.Kind {
	case graphops.FunctionBody:
		severity = Error
	case graphops.MainGraph:
		severity = Warning
	}
	unnamed("input", p.Graph.Inputs(), severity)
	unnamed("output", p.Graph.Outputs(), Error)
}

var nameUnprintable = rule{
	code: "name-unprintable", severity: Warning,
	title: "a name holds what cannot be seen, or is no text",
	about: `ONNX Runtime takes names of any bytes. Control characters, characters without width, marks of direction and bytes that are no
UTF-8 nevertheless make trouble: the name cannot be typed, two names look the same, a terminal or a log obeys what it should show, and
what is not UTF-8 cannot be asked for from Python at all ("'utf-8' codec can't decode byte"), where the inputs of the model then cannot
be listed.

It comes from names that were made of file names, of text that users wrote, or of damaged files; it may also be meant to mislead.
"lathe rename" gives the value or node a name that can be read.`,
	place: unprintableNames,
}

func unprintableNames(s *subject, p *graphops.Place, report reporter) {
	given := map[string]bool{}
	told := func(problem Problem, option, name string) {
		at := unseen(name)
		if at == "" || given[option+name] {
			return
		}
		given[option+name] = true
		problem.Message = fmt.Sprintf("%s %q holds %s", problem.Message, name, at)
		problem.Hint = "give it a name that can be read"
		clean := readable(name)
		if given[option+"="+clean] || option == "value" && s.taken(clean) {
			clean = s.cleaned[option].free(clean, func(c string) bool { return given[option+"="+c] || s.taken(c) })
		}
		given[option+"="+clean] = true
		problem.Fix = renaming(p, option, name, clean)
		if option == "value" {
			problem.Value = name
		}
		report(problem)
	}
	for _, v := range p.Graph.Inputs() {
		told(in(p, "input"), "value", v.Name())
	}
	for _, t := range p.Graph.Initializers() {
		told(in(p, "initializer"), "value", t.Name())
	}
	for i, n := range p.Graph.Nodes() {
		told(of(site{n, p, i}, "its name"), "node", n.Name())
		for _, o := range n.Outputs() {
			told(of(site{n, p, i}, "output"), "value", o)
		}
	}
}

// unseen describes the first invisible character in a name, or returns an empty string.
func unseen(name string) string {
	for i, r := range name {
		switch {
		case r >= ' ' && r < utf8.RuneSelf && r != 0x7f:
			continue
		case r == utf8.RuneError && !strings.HasPrefix(name[i:], string(utf8.RuneError)):
			return fmt.Sprintf("byte %#x, which is no UTF-8", name[i])
		case unicode.IsControl(r):
			return fmt.Sprintf("control character %U", r)
		case isInvisible(r):
			return fmt.Sprintf("%U, which cannot be seen", r)
		}
	}
	return ""
}

// isInvisible reports whether a character is invisible, is an unusual space, or changes the
// writing direction.
func isInvisible(r rune) bool {
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// readable returns a name with "_" for invisible characters.
func readable(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || isInvisible(r) {
			return '_'
		}
		return r
	}, name)
	if strings.Trim(clean, "_") == "" {
		return "value"
	}
	return clean
}
