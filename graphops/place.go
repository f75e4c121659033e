package graphops

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// PlaceKind is a kind of place in which nodes can be.
type PlaceKind int

// The kinds of place.
const (
	MainGraph    PlaceKind = iota
	BodyGraph              // in an attribute of a node: a branch, or a loop's body
	FunctionBody           // the content of a model-local function
)

// String returns "graph", "body" or "function".
func (k PlaceKind) String() string { return [...]string{"graph", "body", "function"}[k] }

// Place is a graph that contains nodes. Every place has its own names. In a body the names of
// the surrounding places are valid too.
type Place struct {
	ID    int // dense, 0 is the main graph
	Kind  PlaceKind
	Graph *Graph
	// Function is the function that the place is or is inside of, or nil.
	Function *Function
	// Parent is the place of the node with this body, Node is that node's index, and Attribute
	// and Nth identify the graph in its attributes. They are set only for bodies.
	Parent    *Place
	Node      int
	Attribute string
	Nth       int
	// Bodies are the places directly inside this one.
	Bodies []*Place

	attr int    // the attribute's index, because its name may not be unique
	hop  string // the last part of the path to the place
}

// PortsByName reports whether the inputs and outputs of a body may be found by their names. The
// standard operators find them by position. BeamSearch and other operators of ONNX Runtime require
// certain names, and so may unknown operators.
func (p *Place) PortsByName() bool {
	return p.Kind == BodyGraph && p.Parent.Graph.nodes[p.Node].Domain() != DefaultDomain
}

// IsPort reports whether a value is an input or output of the place's graph.
func (p *Place) IsPort(id ValueID) bool {
	x := p.Graph.Index()
	return x.IsInput(id) || x.IsOutput(id)
}

// places are computed once for each model, on the first call.
type places struct {
	once sync.Once
	list []*Place
}

// Places returns the main graph, the bodies inside it, outer ones first, and then each function
// followed by the bodies inside it.
func (m *Model) Places() []*Place {
	m.places.once.Do(func() {
		m.addPlace(&Place{Kind: MainGraph, Graph: m.graph})
		for _, f := range m.functions {
			m.addPlace(&Place{Kind: FunctionBody, Graph: f.graph, Function: f})
		}
	})
	return m.places.list
}

func (m *Model) addPlace(p *Place) {
	p.ID = len(m.places.list)
	m.places.list = append(m.places.list, p)
	if p.Kind == FunctionBody {
		p.hop = functionHop(p.Function.Key())
	}
	named := p.holderNames()
	for i, n := range p.Graph.nodes {
		for j, a := range n.attrs {
			for nth, g := range a.Graphs() {
				body := &Place{
					Kind: BodyGraph, Graph: g, Function: p.Function,
					Parent: p, Node: i, Attribute: a.name, Nth: nth,
					attr: j, hop: bodyHop(i, n, named[n.name] > 1, a, nth),
				}
				p.Bodies = append(p.Bodies, body)
				m.addPlace(body)
			}
		}
	}
}

// holderNames counts, for each name of a node with bodies, how many nodes have that name.
func (p *Place) holderNames() map[string]int {
	count := map[string]int{}
	for _, n := range p.Graph.nodes {
		if n.attrs != nil {
			count[n.name] = 0
		}
	}
	if len(count) == 0 {
		return nil
	}
	for _, n := range p.Graph.nodes {
		if c, ok := count[n.name]; ok {
			count[n.name] = c + 1
		}
	}
	return count
}

func functionHop(k FunctionKey) string {
	hop := k.Domain + ":" + k.Name
	if k.Overload != "" {
		hop += ":" + k.Overload
	}
	return hop
}

func bodyHop(i int, n *Node, ambiguous bool, a *Attribute, nth int) string {
	node := n.name
	if node == "" || ambiguous {
		node = "#" + strconv.Itoa(i)
	}
	hop := node + ":" + a.name
	if len(a.graphs) > 0 {
		hop += fmt.Sprintf("[%d]", nth)
	}
	return hop
}

// Holder returns the node with this body, nil for other places.
func (p *Place) Holder() *Node {
	if p.Parent == nil {
		return nil
	}
	return p.Parent.Graph.nodes[p.Node]
}

// Hops returns the path to the place from the main graph, in the form that FindPlace accepts.
func (p *Place) Hops() []string {
	switch p.Kind {
	case MainGraph:
		return nil
	case BodyGraph:
		return append(p.Parent.Hops(), p.hop)
	default:
		return []string{p.hop}
	}
}

// String returns the path to the place in one line, empty for the main graph.
func (p *Place) String() string { return strings.Join(p.Hops(), " › ") }

// WithGraph returns the model with another graph in a place. All parts that do not contain the
// place are shared.
func (m *Model) WithGraph(p *Place, g *Graph) *Model {
	for p.Kind == BodyGraph {
		e := EditGraph(p.Parent.Graph)
		e.Nodes[p.Node] = p.Holder().withBody(p.attr, p.Nth, g)
		p, g = p.Parent, e.Graph()
	}
	c := m.changed()
	if p.Kind == MainGraph {
		c.graph, c.hasGraph = g, true
		return c
	}
	c.functions = slices.Clone(m.functions)
	i := slices.Index(m.functions, p.Function)
	c.functions[i] = p.Function.withGraph(g)
	return c
}

// withBody returns the node with one body replaced. attr is the index of the attribute, and nth
// that of the graph in it.
func (n *Node) withBody(attr, nth int, g *Graph) *Node {
	attrs := slices.Clone(n.attrs)
	graphs := slices.Clone(attrs[attr].Graphs())
	graphs[nth] = g
	attrs[attr] = attrs[attr].WithGraphs(graphs)
	return n.WithAttributes(attrs)
}
