package check

import (
	"strconv"

	"lathe/graphops"
)

var graphOutputs = rule{
	code: "graph-no-outputs", severity: Warning,
	title: "the model has no outputs",
	about: `A model without outputs computes nothing that anybody could ask for. onnx.checker takes it. ONNX Runtime loads it where it
has nodes, though nothing can be asked of it ("At least one output should be requested"); one without nodes, or without a graph, it
refuses ("No graph was found in the protobuf"), which is an error.

It comes from files that were cut off or hold something else, and from tools that lost the outputs. "lathe prune --output NAME" makes a
value an output.`,
	model: missingOutputs,
}

func missingOutputs(s *subject, report reporter) {
	g := s.model.Graph()
	if len(g.Outputs()) > 0 {
		return
	}
	problem := in(s.model.Places()[0], "no outputs")
	last := unread(g)
	switch {
	case len(g.Nodes()) == 0:
		problem.Message, problem.Severity = "no nodes and no outputs", Error
		problem.Hint = "look whether the file is whole and what was meant"
	case len(last) > 0:
		problem.Value, problem.Hint = last[0], "make what was meant an output; nothing reads "+graphops.QuoteNames(last)
		problem.Fix = pruneTo(last)
	default:
		problem.Hint = "make the value that was meant an output"
	}
	report(problem)
}

// unread returns the results that nothing reads.
func unread(g *graphops.Graph) []string {
	x := g.Index()
	var out []string
	for v := range x.Values() {
		id := graphops.ValueID(v)
		if x.Producer(id) >= 0 && len(x.Readers(id)) == 0 {
			out = append(out, x.Name(id))
		}
	}
	return out
}

var graphNameless = rule{
	code: "graph-nameless", severity: Warning,
	title: "a graph has no name",
	about: `The standard wants graphs to have a name, whatever it is. onnx.checker refuses a graph without one ("Field 'name' of 'graph'
is required to be non-empty"). ONNX Runtime takes a main graph without a name and refuses a body ("In Node … Error Field 'name' of
'graph' is required to be non-empty").

It comes from tools that build the file by hand. "lathe metadata --graph-name" gives it one.`,
	place: namelessGraphs,
}

func namelessGraphs(s *subject, p *graphops.Place, report reporter) {
	if p.Kind == graphops.FunctionBody || p.Graph.Name() != "" {
		return
	}
	problem := in(p, "the graph has no name")
	name := "graph"
	if p.Kind == graphops.BodyGraph {
		problem.Message, problem.Severity = "the body has no name", s.orWarning(p)
		name = p.Attribute
	}
	problem.Hint = "give it any name"
	if name != "" {
		problem.Fix = fixAt(p, "metadata", "graph-name", name)
	}
	report(problem)
}

var nodeIncomplete = rule{
	code: "node-incomplete", severity: Error,
	title: "a node has no operator, or neither inputs nor outputs",
	about: `A node must name its operator; ONNX Runtime and onnx.checker refuse one that does not ("Field 'op_type' of 'node' is required
to be non-empty"). onnx.checker refuses a node that has neither inputs nor outputs, too. ONNX Runtime 1.30 drops such a node of the main
graph before it looks at it, whatever operator and bodies it has: that is a warning, and so is everything else that is wrong with it. In a
body or a function that is called it refuses the model.

It comes from damaged files and from tools that build nodes by hand. "lathe delete" takes it away.`,
	node: incompleteNodes,
}

func incompleteNodes(s *subject, n site, report reporter) {
	var problem Problem
	switch {
	case n.OpType() == "":
		problem = of(n, "names no operator")
		problem.Severity = s.orWarning(n.place)
		problem.Hint = "say which operator it is, or delete the node"
	case isEmpty(n.Node):
		problem = of(n, "has neither inputs nor outputs")
		if problem.Severity = Warning; n.place.Kind != graphops.MainGraph {
			problem.Severity = s.orWarning(n.place)
		}
		problem.Hint = "delete the node"
		problem.Fix = fixAt(n.place, "delete", "node", "#"+strconv.Itoa(n.index))
	default:
		return
	}
	report(problem)
}
