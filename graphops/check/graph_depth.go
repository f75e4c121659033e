package check

import (
	"lathe/graphops"
)

var bodyDepth = rule{
	code: "body-depth", severity: Error,
	title: "bodies are nested more deeply than protobuf parsers read",
	about: `A model is one protobuf message, in which graphs, nodes, attributes and types are nested messages.
Protobuf parsers stop at more than 100 levels. Each body within a body adds three, so the limit is
reached after about 32 nested bodies. ONNX Runtime then rejects the file as a whole, without saying
where the problem is ("Failed to load model because protobuf parsing failed"), and so does the onnx
package. Lathe reads up to 64 nested bodies.

The cause is a chain of conditions in which each else_branch contains the next If. Compute the
conditions side by side and select with Where, or move inner bodies into functions: in a function,
nesting is counted from the start.`,
	hint: "write the conditions side by side, or move inner bodies into functions",

	model: nestedBodies,
}

// protobufDepth is the maximum nesting of messages.
const protobufDepth = 100

// nestedBodies reports the outermost body that contains too deeply nested messages.
func nestedBodies(s *subject, report reporter) {
	for _, p := range s.model.Places() {
		level := graphLevel(p)
		if p.Parent == nil || level <= protobufDepth/2 || level+messagesIn(p.Graph) <= protobufDepth {
			continue
		}
		if outer := graphLevel(p.Parent); outer+messagesIn(p.Parent.Graph) > protobufDepth {
			continue
		}
		report(of(site{p.Holder(), p.Parent, p.Node}, "%s contains messages nested %d levels deep, but protobuf parsers read at most %d", p.Attribute, level+messagesIn(p.Graph), protobufDepth))
	}
}

// graphLevel returns the nesting level of a graph's message: a body is in an attribute of a
// node.
func graphLevel(p *graphops.Place) int {
	level := 1
	for ; p.Parent != nil; p = p.Parent {
		level += 3
	}
	return level
}

// messagesIn returns the nesting of messages in a graph, without bodies.
func messagesIn(g *graphops.Graph) (depth int) {
	if len(g.Initializers()) > 0 {
		depth = 1
	}
	for _, n := range g.Nodes() {
		depth = max(depth, 1)
		for _, a := range n.Attributes() {
			depth = max(depth, 2)
			if k := a.Kind(); k == graphops.AttrTensor || k == graphops.AttrTensors {
				depth = max(depth, 3)
			}
		}
	}
	for _, list := range [][]*graphops.ValueInfo{g.Inputs(), g.Outputs(), g.ValueInfo()} {
		for _, v := range list {
			depth = max(depth, 1+messagesOf(v.Type()))
		}
	}
	return depth
}

// messagesOf returns the nesting of messages in a type, including the type itself.
func messagesOf(t graphops.Type) int {
	switch {
	case t.Kind == graphops.TypeUnknown:
		return 1
	case t.Of != nil:
		return 2 + messagesOf(*t.Of)
	case t.Shape == nil:
		return 2
	case len(t.Shape) == 0:
		return 3
	default:
		return 4
	}
}
