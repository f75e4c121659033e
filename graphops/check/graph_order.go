package check

import (
	"fmt"

	"lathe/graphops"
)

var nodeOrder = rule{
	code: "node-order", severity: Warning,
	title: "a node comes before the node whose result it reads",
	about: `The nodes of a graph must be listed so that each comes after the nodes whose results it, or one of
its bodies, reads. onnx.checker rejects any other order. ONNX Runtime sorts the nodes of the main
graph itself. It rejects the model if a body, or a function that is called, is not sorted: "Nodes in
a graph must be topologically sorted", or "Input 0 expected to have type but instead is null".
Functions that nothing calls are not checked.

The cause is a tool that appends nodes to the end of the list. Each graph is reported once, at its
first node that comes too early.`,
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
				first = of(site{n, p, i}, "reads %q, which %s produces only later", name, nodeName(p, made))
				first.Value = name
			}
			break
		}
	}
	if count == 0 {
		return
	}
	if count > 1 {
		first.Message += fmt.Sprintf("; %d nodes come too early", count)
	}
	if p.Kind != graphops.MainGraph {
		first.Severity = s.orWarning(p)
	}
	first.Hint = "list the nodes in the order in which they can run"
	report(first)
}
