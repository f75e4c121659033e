package shape

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/dim"
)

// Result is the result of an inference. It is immutable.
type Result struct {
	model *graphops.Model
	// values by the number of the place and of the value in it.
	values [][]Value
	// Problems are contradictions, in the order of the nodes.
	Problems []Problem
	// Demands are relations between sizes that nodes require and that do not always hold.
	Demands []Demand

	symbols  map[string]int  // of the inputs, numbered
	named    map[string]bool // symbols of axes that the file leaves open
	possible func() *possible
}

// Problem is a contradiction between sizes or types.
type Problem struct {
	Place *graphops.Place
	Node  int // index of the node where it is found; -1 if it is not at a single node
	// Other is the node of the same place that produces the value in question, or -1.
	Other int
	// Value is the value with the wrong declaration, for a Misdeclared problem.
	Value graphops.ValueID
	Kind  ProblemKind
	Text  string
}

// ProblemKind is a kind of contradiction.
type ProblemKind int

// The kinds of contradiction.
const (
	Clash       ProblemKind = iota // the sizes, types or attributes at a node do not match
	Misdeclared                    // the file declares a value differently from the graph
	Endless                        // nodes or functions depend on themselves
)

// Visit is a node with what is known of its inputs and outputs.
type Visit struct {
	Place *graphops.Place
	Index int
	Node  *graphops.Node
	// Times is how often the node runs in one run of the model.
	Times dim.Dim
	In    []*Value // nil for an omitted input
	Out   []Value

	given map[string]*graphops.Attribute // attributes of the call, in a function
}

// Attribute finds an attribute of the node. In a function it resolves references to attributes
// of the call.
func (v Visit) Attribute(name string) (*graphops.Attribute, bool) {
	return attribute(v.Node.Attributes(), v.given, name)
}

// Value returns what is known of a value of a place of the model.
func (r *Result) Value(p *graphops.Place, v graphops.ValueID) Value {
	list := r.values[p.ID]
	if int(v) >= len(list) {
		return Value{}
	}
	return list[v]
}

// Type returns the type of a value of a place in the form of a file.
func (r *Result) Type(p *graphops.Place, v graphops.ValueID) graphops.Type {
	return r.Value(p, v).ForFile()
}

// String returns the problem in one line, with its node.
func (p Problem) String() string {
	if p.Node < 0 {
		return p.Text
	}
	n := p.Place.Graph.Nodes()[p.Node]
	return fmt.Sprintf("%s: %s", NodeName(p.Node, n), p.Text)
}

// NodeName returns the name of a node for messages.
func NodeName(i int, n *graphops.Node) string {
	name := fmt.Sprintf("node %q", n.Name())
	if n.Name() == "" {
		name = fmt.Sprintf("node %d", i)
	}
	if n.OpType() == "" {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, n.OpType())
}

// Contradiction returns the difference of two types, or an empty string if they agree as far as
// known.
func Contradiction(a, b Type) string {
	switch {
	case a.Kind == graphops.TypeUnknown || b.Kind == graphops.TypeUnknown:
		return ""
	case a.Kind != b.Kind || a.Elem != b.Elem && a.Elem != 0 && b.Elem != 0:
		return "the types differ"
	case a.Of != nil && b.Of != nil:
		return Contradiction(*a.Of, *b.Of)
	case a.Dims == nil || b.Dims == nil:
		return ""
	case len(a.Dims) != len(b.Dims):
		return fmt.Sprintf("ranks %d and %d", len(a.Dims), len(b.Dims))
	}
	for i := range a.Dims {
		if dim.Apart(a.Dims[i], b.Dims[i]) {
			return fmt.Sprintf("axis %d is %s and %s", i, sizeText(a.Dims[i]), sizeText(b.Dims[i]))
		}
	}
	return ""
}
