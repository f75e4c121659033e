package check

import (
	"fmt"
	"hash/maphash"
	"strings"
	"unicode"
	"unicode/utf8"

	"lathe/graphops"
)

var nodeNameDuplicate = rule{
	code: "node-name-duplicate", severity: Error,
	title: "two nodes of a graph have the same name",
	about: `ONNX Runtime rejects a graph in which two nodes have the same name ("two nodes with same node
name"). onnx.checker accepts it, because the standard requires unique node names only if they are
used. Nodes of different graphs, such as those of two branches, may have the same name. So may
Constant nodes, which become initializers. Nodes without a name are allowed too. Functions that
nothing calls are not checked.

The causes are copied nodes and merging models. "lathe rename" renames one of them.`,
	place: duplicateNodeNames,
}

func duplicateNodeNames(s *subject, p *graphops.Place, report reporter) {
	if !mayRepeatNames(p.Graph.Nodes()) {
		return
	}
	first := make(map[string]int, len(p.Graph.Nodes()))
	for i, n := range p.Graph.Nodes() {
		if _, ok := first[n.Name()]; !ok && !n.IsConstant() {
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
		if n.Name() == "" || !ok || before == i || n.IsConstant() {
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

// mayRepeatNames reports whether two nodes have names with the same hash. Otherwise all names differ,
// and no map of them is needed, which takes longer.
func mayRepeatNames(nodes []*graphops.Node) bool {
	size := 8
	for size < 2*len(nodes) {
		size *= 2
	}
	seen, seed, mask := make([]uint64, size), maphash.MakeSeed(), uint64(size-1)
	for _, n := range nodes {
		if n.Name() == "" {
			continue
		}
		hash := maphash.String(seed, n.Name()) | 1 // 0 is an unused place
		at := hash >> 1 & mask
		for seen[at] != 0 && seen[at] != hash {
			at = (at + 1) & mask
		}
		if seen[at] == hash {
			return true
		}
		seen[at] = hash
	}
	return false
}

var nameEmpty = rule{
	code: "name-empty", severity: Error,
	title: "an input or output has no name",
	about: `Inputs and outputs of a graph must have a name, because an empty name in the inputs or outputs of a
node means that something is omitted. ONNX Runtime rejects an output without a name ("Graph output
() does not exist in the graph"), and, in a body, also an input. In the main graph it accepts an
input without a name. No node can read such an input, but every run must supply it under the empty
name. onnx.checker rejects both. If an input or output of a function has no name, ONNX Runtime
rejects the model, even if the function is not called.

The cause is a tool that builds the lists by hand. Remove the input or output, or give it a name.`,
	place: emptyNames,
}

func emptyNames(s *subject, p *graphops.Place, report reporter) {
	unnamed := func(what string, list []*graphops.ValueInfo, severity Severity) {
		for i, v := range list {
			if v.Name() != "" {
				continue
			}
			problem := in(p, "%s %d has no name", what, i)
			problem.Severity, problem.Hint = severity, "remove it, or give it a name"
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
	title: "a name contains invisible characters, or is not valid UTF-8",
	about: `ONNX Runtime accepts any bytes in names. But control characters, characters of zero width, direction
marks and invalid UTF-8 cause problems: users cannot type the name, two names look the same, and a
terminal or log interprets the characters instead of showing them. Python cannot read a name that is
not UTF-8 ("'utf-8' codec can't decode byte"), so it cannot list the inputs of the model.

The causes are names made from file names or from text of users, and damaged files. Such a name can
also be meant to deceive. "lathe rename" gives the value or node another name.`,
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
		problem.Message = fmt.Sprintf("%s %q contains %s", problem.Message, name, at)
		problem.Hint = "give it a name of visible characters"
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
			return fmt.Sprintf("byte %#x, which is not valid UTF-8", name[i])
		case unicode.IsControl(r):
			return fmt.Sprintf("control character %U", r)
		case isInvisible(r):
			return fmt.Sprintf("%U, which is invisible", r)
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
