package fault

import (
	"fmt"

	"lathe/graphops"
)

// Finding says where in a model a fault is, as far as the error text allows, and explains it.
type Finding struct {
	Fault Fault
	How   How
	// Sites are the nodes that the text can mean, in file order: one if it is certain, none if
	// nothing fits.
	Sites []Site
	// Value is the name of the value at fault, and ValuePlace the place in which that name is
	// valid. They are empty and nil if the text names no value of the model. If the text names only
	// a file of external data, Value is the constant stored in that file, if there is exactly one.
	Value      string
	ValuePlace *graphops.Place
	// Operands are the inputs and outputs of the node if there is exactly one site. Otherwise its
	// only element is the value at fault, if there is one.
	Operands []Operand

	Explanation string // one line, with names quoted
	// Quotes is set if the explanation contains all of Fault.Detail, which is the runtime's own
	// text. Then that text need not be printed as well.
	Quotes bool
	Hint   string // what to do about it; may be empty
}

// How says by which property the sites were found.
type How string

// The ways to find a node, the most reliable first.
const (
	NotFound   How = ""
	ByOperands How = "operands" // the text lists its inputs and outputs
	ByName     How = "name"     // the node has the name that the text gives
	// the runtime replaced a call by its function, or an If by its branch
	ByInlining How = "inlining"
	// an optimization derived the name in the text from a name in the model
	ByChangeName How = "changed-name"
	ByValue      How = "value"     // it computes or reads the value that the text names
	ByAttribute  How = "attribute" // it has the attribute that the text names
	ByCycle      How = "cycle"     // it is part of a cycle
	ByOperator   How = "operator"  // it has the operator that the text names
	// Bisect found it: the model that ends with this node fails, and the model that ends with the
	// node before it does not
	BySearch How = "search"
)

// Site identifies a node of the model by its place and its position there.
type Site struct {
	Place *graphops.Place
	Index int // of the node in the place's graph
}

// Node returns the node itself.
func (s Site) Node() *graphops.Node { return s.Place.Graph.Nodes()[s.Index] }

// String names the node with its position, and its place if that is not the main graph: `node 3
// "add" (Add)`, `unnamed node 3 (Add) in "loop:body"`.
func (s Site) String() string {
	n := s.Node()
	text := fmt.Sprintf("unnamed node %d (%s)", s.Index, n.OpType())
	if n.Name() != "" {
		text = fmt.Sprintf("node %d %q (%s)", s.Index, n.Name(), n.OpType())
	}
	if s.Place.Kind != graphops.MainGraph {
		text += fmt.Sprintf(" in %q", s.Place.String())
	}
	return text
}

// Operand is an input or output of a node, or the value at fault if the node is not known.
type Operand struct {
	Side     Side
	Position int
	Name     string
	// Type is the type that the model states for the value; unknown if it states none.
	Type graphops.Type
	From Origin
}

// Origin says where a value comes from.
type Origin struct {
	Kind OriginKind
	// Place is where the value is defined: the node's own graph, or one around it for a value that
	// a body captures. It is nil if the value is not defined.
	Place *graphops.Place
	Index int // of the node that computes it; -1 if none
}

// OriginKind says what kind of thing defines a value.
type OriginKind string

// The origins of values.
const (
	FromNothing     OriginKind = "nothing"
	FromInput       OriginKind = "input"
	FromInitializer OriginKind = "initializer"
	FromNode        OriginKind = "node"
)

// operandsOf describes the inputs and outputs of a node, except optional ones that the node leaves
// out.
func operandsOf(s Site) []Operand {
	var out []Operand
	n := s.Node()
	for i, name := range n.Inputs() {
		if name != "" {
			out = append(out, operandOf(s.Place, Input, i, name))
		}
	}
	for i, name := range n.Outputs() {
		if name != "" {
			out = append(out, operandOf(s.Place, Output, i, name))
		}
	}
	return out
}

func operandOf(p *graphops.Place, side Side, position int, name string) Operand {
	o := Operand{Side: side, Position: position, Name: name, From: Origin{FromNothing, nil, -1}}
	if id, ok := p.Graph.Index().Value(name); ok {
		o.Type = p.Type(id)
	}
	o.From = originOf(p, name)
	return o
}

// originOf returns where the value that has this name in a place is defined: in the place itself or
// in one around it.
func originOf(p *graphops.Place, name string) Origin {
	for ; p != nil; p = p.Parent {
		x := p.Graph.Index()
		id, ok := x.Value(name)
		if !ok || !x.IsDefined(id) {
			continue
		}
		switch {
		case x.Producer(id) >= 0:
			return Origin{FromNode, p, x.Producer(id)}
		case x.IsInitializer(id):
			return Origin{FromInitializer, p, -1}
		}
		return Origin{FromInput, p, -1}
	}
	return Origin{FromNothing, nil, -1}
}

// String says where the value comes from, for example which node computes it.
func (o Origin) String() string {
	switch o.Kind {
	case FromNode:
		return "made by " + Site{o.Place, o.Index}.String()
	case FromInput:
		if o.Place.Kind == graphops.MainGraph {
			return "graph input"
		}
		return fmt.Sprintf("input of %q", o.Place.String())
	case FromInitializer:
		return "initializer"
	}
	return "made by nothing"
}
