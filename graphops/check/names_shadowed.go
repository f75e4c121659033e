package check

import (
	"iter"

	"lathe/graphops"
)

var nameShadowed = rule{
	code: "name-shadowed", severity: Warning,
	title: "a node in a body produces a value whose name the surrounding graph has too",
	about: `A body can read the values of the surrounding graph, so the standard requires that its own names
differ from those. ONNX Runtime rejects a node in a body that produces a value with the name of one
which exists before the node with the body runs: an input, an initializer, a constant, or a value
that this node depends on ("Graph must be in single static assignment (SSA) form, however 'h' has
been used as output names multiple times"). If the other value is produced later or independently,
ONNX Runtime 1.30 may accept the model, depending on how it orders the nodes; other tools may not.
Inputs and initializers of a body may have any name.

The cause is a body that was written by copying nodes of the surrounding graph. Rename the value in
the body.`,
	model: shadowingNames,
}

// ancestrySearches is the maximum number of nodes of the main graph whose ancestors are searched
// completely, because each search takes time proportional to the size of the graph. For further
// nodes, an error is reported only if it is certain without a search.
const ancestrySearches = 100

// shadowing finds names of bodies that are also defined around them.
type shadowing struct {
	subject   *subject
	main      *graphops.Index
	searches  int
	numbers   numbering
	holder    int    // the node of the main graph whose ancestors these are
	ancestors []bool // nodes of the main graph
}

func shadowingNames(s *subject, report reporter) {
	look := shadowing{subject: s, main: s.model.Graph().Index(), numbers: numbering{}, holder: -1}
	for _, p := range s.model.Places() {
		if s.ctx.Err() != nil {
			return
		}
		if p.Kind == graphops.BodyGraph {
			look.body(p, report)
		}
	}
}

func (l *shadowing) body(p *graphops.Place, report reporter) {
	for i, n := range p.Graph.Nodes() {
		for _, o := range n.Outputs() {
			outer := around(p, o)
			if o == "" || outer == nil {
				continue
			}
			made, holder := madeAt(outer, o), holderIn(outer, p)
			if made == holder { // only the body's result has that name
				continue
			}
			problem := of(site{n, p, i}, "output %q has the name of a value of the surrounding graph", o)
			problem.Value, problem.Hint = o, "give the value in the body another name"
			problem.Fix = renaming(p, "value", o, l.numbers.free(o, l.subject.taken))
			if p.Function == nil && l.precedes(outer, made, holder) {
				problem.Severity = Error
			}
			report(problem)
		}
	}
}

// madeAt returns the node that produces a value, -1 for an input or initializer.
func madeAt(p *graphops.Place, name string) int {
	v, _ := p.Graph.Index().Value(name)
	return p.Graph.Index().Producer(v)
}

// holderIn returns the node of an outer place that contains a body, directly or not.
func holderIn(outer, body *graphops.Place) int {
	for body.Parent != outer {
		body = body.Parent
	}
	return body.Node
}

// precedes reports whether a value certainly exists before a node runs. In the main graph ONNX
// Runtime places the nodes that need no other node first, not counting constants, and the others
// after what they need. In a body the file order applies.
func (l *shadowing) precedes(outer *graphops.Place, made, holder int) bool {
	switch {
	case made < 0:
		return true
	case outer.Kind != graphops.MainGraph:
		return made < holder
	case outer.Graph.Nodes()[made].IsConstant():
		return true
	case l.isRoot(made):
		return made < holder || !l.isRoot(holder)
	}
	return l.isAncestor(made, holder)
}

// isRoot reports whether a node of the main graph needs no result of another node.
func (l *shadowing) isRoot(i int) bool {
	for need := range needs(l.main, l.subject.model.Graph().Nodes()[i]) {
		if !l.subject.model.Graph().Nodes()[need].IsConstant() {
			return false
		}
	}
	return true
}

func (l *shadowing) isAncestor(made, holder int) bool {
	if l.holder != holder {
		if l.searches++; l.searches > ancestrySearches {
			return false
		}
		l.holder, l.ancestors = holder, l.main.Ancestors(graphops.NodePoint(holder)).Nodes
	}
	return l.ancestors[made]
}

// needs yields the nodes that produce what a node or its bodies read.
func needs(x *graphops.Index, n *graphops.Node) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for _, list := range [][]string{n.Inputs(), n.Captured()} {
			for _, name := range list {
				v, ok := x.Value(name)
				if !ok || name == "" {
					continue
				}
				if made := x.Producer(v); made >= 0 && !yield(made, name) {
					return
				}
			}
		}
	}
}
