package check

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
)

var graphCycle = rule{
	code: "graph-cycle", severity: Error,
	title: "nodes depend on each other in a cycle",
	about: `A graph must not have a cycle: a node that needs its own result, directly, through other nodes, or
because one of its bodies reads it, can never run. ONNX Runtime rejects the graph ("the graph is not
acyclic"), even if nothing needs the nodes; onnx.checker reports that the nodes are not
topologically sorted. For state that passes from one iteration to the next, use a Loop or Scan,
whose body has an input and an output for it. Functions that nothing calls are not checked.

The cause is a rename or an edit that gave a value the name of a later one. Each cycle is reported
once, by its shortest path.`,
	place: cycles,
}

func cycles(s *subject, p *graphops.Place, report reporter) {
	links := linksOf(p)
	if links.inOrder() {
		return
	}
	twice := map[string]bool{}
	for _, name := range links.index.Duplicates {
		twice[name] = true
	}
	for _, knot := range links.knots() {
		around := links.shortest(knot)
		if links.passes(around, twice) {
			continue
		}
		at := slices.Min(around)
		around = rotated(around, at)
		problem := of(site{p.Graph.Nodes()[at], p, at}, "needs its own result: %s", links.roundTrip(around))
		problem.Value, problem.Severity = links.value(around[0], around[1%len(around)]), s.orWarning(p)
		problem.Hint = "make one of them read another value"
		report(problem)
	}
}

// passes reports whether a cycle passes through one of the values. A value that is defined twice
// may be a different one where it is read, so such cycles are left to another rule.
func (l links) passes(around []int, values map[string]bool) bool {
	if len(values) == 0 {
		return false
	}
	for i, node := range around {
		if values[l.value(node, around[(i+1)%len(around)])] {
			return true
		}
	}
	return false
}

func rotated(around []int, first int) []int {
	i := slices.Index(around, first)
	return slices.Concat(around[i:], around[:i])
}

// cycleTold is the maximum number of nodes of a cycle in a message.
const cycleTold = 8

// roundTrip returns the nodes of a cycle as text, with the first one again at the end. If a body
// reads the output of the previous node, the text says so.
func (l links) roundTrip(around []int) string {
	nodes := l.graph.Nodes()
	step := func(i int) string {
		to := around[i%len(around)]
		name := nodeName(l.place, to)
		if i > 0 && !slices.Contains(nodes[to].Inputs(), l.value(around[i-1], to)) {
			name += " in its body"
		}
		return name
	}
	var names []string
	for i := range min(len(around), cycleTold) {
		names = append(names, step(i))
	}
	if more := len(around) - cycleTold; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(append(names, step(len(around))), " → ")
}
