package check

import (
	"fmt"

	"lathe/graphops"
)

var nodeOrder = rule{
	code: "node-order", severity: Warning,
	title: "a node stands before the one whose result it reads",
	about: `The nodes of a graph must be listed so that each stands behind those whose results it, or a body that it holds, reads.
onnx.checker refuses any other order. ONNX Runtime puts the nodes of the main graph in order itself, and refuses a body or a function
that is called and not in order: "Nodes in a graph must be topologically sorted", or "Input 0 expected to have type but instead is null".
Functions that nothing calls are not looked at.

It comes from tools that add nodes at the end of the list. A place is told once, at its first node that stands too early.`,
	place: nodesInOrder,
}

func nodesInOrder(s *subject, p *graphops.Place, report reporter) {
	links := linksOf(p)
	if links.inOrder() {
		return
	}
	knotted := map[int]bool{}
	for _, knot := range links.knots() {
		for _, n := range knot {
			knotted[n] = true
		}
	}
	count := 0
	var first Problem
	for i, n := range p.Graph.Nodes() {
		for made, name := range needs(links.index, n) {
			if made <= i || knotted[made] && knotted[i] {
				continue
			}
			if count++; count == 1 {
				first = of(site{n, p, i}, "reads %q, which only %s makes, behind it", name, nodeName(p, made))
				first.Value = name
			}
			break
		}
	}
	if count == 0 {
		return
	}
	if count > 1 {
		first.Message += fmt.Sprintf("; %d nodes stand too early", count)
	}
	if p.Kind != graphops.MainGraph {
		first.Severity = s.orWarning(p)
	}
	first.Hint = "list the nodes in the order in which they can run"
	report(first)
}
