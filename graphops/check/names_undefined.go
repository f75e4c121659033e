package check

import (
	"iter"
	"strings"
	"unicode"

	"lathe/graphops"
)

var valueUndefined = rule{
	code: "value-undefined", severity: Error,
	title: "a node reads a value that nothing produces",
	hint:  "give the intended value this name, or read another value",
	about: `Every input of a node must be an input or initializer of its graph, the output of an earlier node,
or, in a body, a value of the surrounding graph. ONNX Runtime rejects a model with any other input
("is not a graph input, initializer, or output of a previous node"), even if nothing needs the node.
A function can only read its own inputs. But ONNX Runtime 1.30 replaces the call by the function's
nodes, which then read a value of the calling graph that happens to have the name, and it does not
check functions that nothing calls. Both cases are warnings, because onnx.checker rejects them.

The causes are a node that was removed although others read its result, an incomplete rename, and a
model that was cut by hand. "lathe rename" gives the intended value the name that is read.`,
	place: undefinedValues,
}

// missing describes a name that is read but not defined.
type missing struct {
	hint     string
	severity Severity
	near     []string
}

func undefinedValues(s *subject, p *graphops.Place, report reporter) {
	undefined := s.undefined(p)
	if len(undefined) == 0 {
		return
	}
	for i, n := range p.Graph.Nodes() {
		for _, name := range n.Inputs() {
			m, ok := undefined[name]
			if !ok || name == "" {
				continue
			}
			problem := of(site{n, p, i}, "input %q is produced by no node", name)
			problem.Value, problem.Hint, problem.Severity = name, m.hint, m.severity
			problem.Fix = meant(p, i, name, m.near)
			report(problem)
		}
	}
}

func (s *subject) undefined(p *graphops.Place) map[string]missing {
	undefined := map[string]missing{}
	for _, c := range p.Captures() {
		if c.From != nil {
			continue
		}
		name := p.Graph.Index().Name(c.Value)
		m := missing{severity: s.orWarning(p)}
		switch {
		case p.Function != nil && s.outside()[name]:
			m.hint = "a function can only read its own inputs: make the value of the graph one of them"
			if p.Kind == graphops.FunctionBody {
				m.severity = Warning
			}
		default:
			m.near, m.hint = s.near(name, visible(p))
		}
		undefined[name] = m
	}
	return undefined
}

// nearestOffered is the maximum number of problems of a family for which similar names are
// searched, as each search takes time proportional to the number of names.
const nearestOffered = 100

// near returns the names most similar to a name, and a hint with them. From call nearestOffered+1
// on, both are empty, to save time.
func (s *subject) near(name string, names iter.Seq[string]) (list []string, hint string) {
	if s.offered++; s.offered > nearestOffered {
		return nil, ""
	}
	list = graphops.NearestNames(name, names)
	if len(list) == 0 {
		return nil, "no similar name exists"
	}
	for _, candidate := range list {
		if text := lookalike(candidate, name); text != "" {
			return list, text
		}
	}
	return list, "nearest names: " + graphops.QuoteNames(list)
}

// meant returns the rename that gives the intended value the name that is read. The intended
// value differs only in punctuation or case, is not an input or output of the model, and is
// produced by an earlier node.
func meant(p *graphops.Place, reader int, name string, near []string) *Fix {
	x := p.Graph.Index()
	var found string
	for _, candidate := range near {
		v, ok := x.Value(candidate)
		if !ok || folded(candidate) != folded(name) || x.IsInput(v) || x.IsOutput(v) || x.Producer(v) >= reader {
			continue
		}
		if found != "" || !x.IsDefined(v) {
			return nil
		}
		found = candidate
	}
	return renaming(p, "value", found, name)
}

// folded returns a name without differences that people and tools introduce by accident: case,
// punctuation, and letters that look like others.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, lookalikes.Replace(name))
}

// visible yields the names that a node of the place may read.
func visible(p *graphops.Place) iter.Seq[string] {
	return func(yield func(string) bool) {
		for ; p != nil; p = p.Parent {
			for name := range defined(p.Graph) {
				if !yield(name) {
					return
				}
			}
		}
	}
}

// defined yields the names that a graph defines itself.
func defined(g *graphops.Graph) iter.Seq[string] {
	return func(yield func(string) bool) {
		x := g.Index()
		for v := range x.Values() {
			id := graphops.ValueID(v)
			if x.IsDefined(id) && !yield(x.Name(id)) {
				return
			}
		}
	}
}
