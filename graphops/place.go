package graphops

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// PlaceKind tells the three kinds of place apart in which nodes stand.
type PlaceKind int

// The kinds of place.
const (
	MainGraph    PlaceKind = iota
	BodyGraph              // an attribute of a node holds it: a branch, a loop's body
	FunctionBody           // the content of a model-local function
)

// String is "graph", "body" or "function".
func (k PlaceKind) String() string { return [...]string{"graph", "body", "function"}[k] }

// Place is where nodes stand. Every place has names of its own; a body sees
// those around it as well.
type Place struct {
	ID    int // dense, 0 is the main graph
	Kind  PlaceKind
	Graph *Graph
	// Function is the function that the place is, or is inside of; nil elsewhere.
	Function *Function
	// Parent is the place of the node that holds a body, Node that node's
	// position, Attribute and Nth the graph among its attributes. Bodies only.
	Parent    *Place
	Node      int
	Attribute string
	Nth       int
	// Bodies are the places directly inside this one.
	Bodies []*Place

	attr int    // the attribute's position, which a name may not tell
	hop  string // the last part of the way to the place
}

// PortsByName reports whether the inputs and outputs of a body may be found by their
// names. The standard's operators find them by position; BeamSearch and others of
// ONNX Runtime demand names, and so may any operator that is not known.
func (p *Place) PortsByName() bool {
	return p.Kind == BodyGraph && p.Parent.Graph.nodes[p.Node].Domain() != DefaultDomain
}

// IsPort reports whether a value is an input or output of the place's graph.
func (p *Place) IsPort(id ValueID) bool {
	x := p.Graph.Index()
	return x.IsInput(id) || x.IsOutput(id)
}

// places are computed once for a model, when they are asked for.
type places struct {
	once sync.Once
	list []*Place
}

// Places are the main graph, the bodies below it, outer before inner, and then
// each function followed by the bodies in it.
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

// holderNames counts how many nodes have the name of one that holds a body.
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

// Holder is the node that holds a body, nil for other places.
func (p *Place) Holder() *Node {
	if p.Parent == nil {
		return nil
	}
	return p.Parent.Graph.nodes[p.Node]
}

// Hops is the way to the place from the main graph, as FindPlace takes it.
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

// String is the way to the place in one line, "" for the main graph.
func (p *Place) String() string { return strings.Join(p.Hops(), " › ") }

// WithGraph is the model with another graph in a place. Everything beside the
// way to the place is shared.
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

// withBody is the node with one of its bodies replaced, by the position of the
// attribute and that of the graph in it.
func (n *Node) withBody(attr, nth int, g *Graph) *Node {
	attrs := slices.Clone(n.attrs)
	graphs := slices.Clone(attrs[attr].Graphs())
	graphs[nth] = g
	attrs[attr] = attrs[attr].WithGraphs(graphs)
	return n.WithAttributes(attrs)
}
