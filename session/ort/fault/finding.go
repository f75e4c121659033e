package fault

import (
	"fmt"

	"lathe/graphops"
)

// Finding is where in a model a fault is, as far as its text tells.
type Finding struct {
	Fault Fault
	How   How
	// Sites are the nodes that the text can mean, in the order of the file: one
	// where it is certain, none where nothing fits.
	Sites []Site
	// Value is the value at fault, and ValuePlace where the model has it; empty and
	// nil where the text tells none that the model has. Of a file of external data
	// it is the only constant that lies there.
	Value      string
	ValuePlace *graphops.Place
	// Operands are what the node reads and makes where there is one site; else the
	// value at fault alone, if there is one.
	Operands []Operand

	Explanation string // one line, with names quoted
	// Quotes is set where the explanation holds the runtime's own words, all of
	// Fault.Detail: who prints it need not print those beside it.
	Quotes bool
	Hint   string // what can be done about it; may be empty
}

// How tells by what the sites were found.
type How string

// The ways to find a node, the surest first.
const (
	NotFound     How = ""
	ByOperands   How = "operands"     // the text lists what it reads and makes
	ByName       How = "name"         // the node has the name that the text gives
	ByInlining   How = "inlining"     // the runtime put a function or branch in place of its holder
	ByChangeName How = "changed-name" // an optimization made its name from one that the model has
	ByValue      How = "value"        // it makes or reads the value that the text names
	ByAttribute  How = "attribute"    // it has the attribute that the text names
	ByCycle      How = "cycle"        // it needs its own result
	ByOperator   How = "operator"     // it is of the operator that the text names
	BySearch     How = "search"       // the graph up to it fails, and up to the node before it does not
)

// Site is a node of the model.
type Site struct {
	Place *graphops.Place
	Index int // in the place's graph
}

// Node is the node itself.
func (s Site) Node() *graphops.Node { return s.Place.Graph.Nodes()[s.Index] }

// String names the node with its position, and its place if that is not the
// main graph: `node 3 "add" (Add)`, `unnamed node 3 (Add) in "loop:body"`.
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

// Operand is a value that a node reads or makes.
type Operand struct {
	Side     Side
	Position int
	Name     string
	// Type is what the model says of the value; unknown where it says nothing.
	Type graphops.Type
	From Origin
}

// Origin is where a value comes from.
type Origin struct {
	Kind OriginKind
	// Place defines the value: the node's own or, for one that a body captures, one
	// around it. Nil where nothing does.
	Place *graphops.Place
	Index int // of the node that makes it, -1 for none
}

// OriginKind tells the origins of values apart.
type OriginKind string

// The origins of values.
const (
	FromNothing     OriginKind = "nothing"
	FromInput       OriginKind = "input"
	FromInitializer OriginKind = "initializer"
	FromNode        OriginKind = "node"
)

// operandsOf describes what a node reads and makes, left-out ones left out.
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

// originOf finds what defines a value that a place sees.
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

// String says where the value comes from, as the end of "comes from".
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
