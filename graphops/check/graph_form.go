package check

import (
	"strconv"

	"lathe/graphops"
)

var graphOutputs = rule{
	code: "graph-no-outputs", severity: Warning,
	title: "the model has no outputs",
	about: `The results of a model without outputs cannot be requested. onnx.checker accepts it. ONNX Runtime
loads it if it has nodes, but no run can succeed ("At least one output should be requested"). A
model that also has no nodes, or has no graph, is an error: ONNX Runtime rejects it ("No graph was
found in the protobuf").

The causes are incomplete files, files that are not models, and tools that lost the outputs. "lathe
prune --output NAME" makes a value an output.`,
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
		problem.Hint = "check whether the file is complete, and is the right one"
	case len(last) > 0:
		problem.Value, problem.Hint = last[0], "make the intended value an output; nothing reads "+graphops.QuoteNames(last)
		problem.Fix = pruneTo(last)
	default:
		problem.Hint = "make the intended value an output"
	}
	report(problem)
}

// unread returns the outputs of nodes that nothing reads.
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
	about: `The standard requires a name for every graph; any name will do. onnx.checker rejects a graph without
one ("Field 'name' of 'graph' is required to be non-empty"). ONNX Runtime accepts a main graph
without a name and rejects a body without one ("In Node … Error Field 'name' of 'graph' is required
to be non-empty").

The cause is a tool that builds the file by hand. "lathe metadata --graph-name" sets the name.`,
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
	about: `A node must name its operator; ONNX Runtime and onnx.checker reject one that does not ("Field
'op_type' of 'node' is required to be non-empty"). onnx.checker also rejects a node that has neither
inputs nor outputs. ONNX Runtime 1.30 drops such a node from the main graph without checking its
operator or bodies, so there this and all other problems of the node are warnings. In a body, or in
a function that is called, ONNX Runtime rejects the model.

The causes are damaged files and tools that build nodes by hand. "lathe delete" removes the node.`,
	node: incompleteNodes,
}

func incompleteNodes(s *subject, n site, report reporter) {
	var problem Problem
	switch {
	case n.OpType() == "":
		problem = of(n, "names no operator")
		problem.Severity = s.orWarning(n.place)
		problem.Hint = "set the operator, or delete the node"
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
