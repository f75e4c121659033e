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

// The kinds of place, as explained in the package documentation.
const (
	MainGraph    PlaceKind = iota
	BodyGraph              // in an attribute of a node: a branch, or a loop's body
	FunctionBody           // the content of a model-local function
)

// String returns "graph", "body" or "function".
func (k PlaceKind) String() string { return [...]string{"graph", "body", "function"}[k] }

// Place is a graph that contains nodes: the main graph, a body or the content of a function. Every
// place has its own names. In a body, the names of the places around it are valid too.
type Place struct {
	ID    int // dense, 0 is the main graph
	Kind  PlaceKind
	Graph *Graph
	// Function is the function whose content the place is, or in which the place is a body. It is
	// nil in the main graph and the bodies inside it.
	Function *Function
	// For a body, Parent is the place that contains the node with the body, and Node is the index
	// of this node. Attribute is the name of the attribute with the body, and Nth is the index of
	// the body among the attribute's graphs.
	Parent    *Place
	Node      int
	Attribute string
	Nth       int
	// Bodies are the places directly inside this one.
	Bodies []*Place

	attr int    // the attribute's index, because its name may not be unique
	hop  string // the last part of the path to the place, see FindPlace
}

// PortsByName reports whether the operator of the node with this body may find the inputs and
// outputs of the body by their names, so that they must not be renamed. The standard operators use
// positions. BeamSearch and other operators of ONNX Runtime require certain names, and so may
// unknown operators.
func (p *Place) PortsByName() bool {
	return p.Kind == BodyGraph && p.Parent.Graph.nodes[p.Node].Domain() != DefaultDomain
}

// IsPort reports whether a value is an input or an output of the place's graph.
func (p *Place) IsPort(id ValueID) bool {
	x := p.Graph.Index()
	return x.IsInput(id) || x.IsOutput(id)
}

// places is the list of a model's places. It is computed when it is first needed.
type places struct {
	once sync.Once
	list []*Place
}

// Places returns the main graph and the bodies inside it, and then each function and the bodies
// inside it. A place comes before the bodies inside it.
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

// holderNames returns how many nodes have the name of each node that has a body. The path to a body
// uses the name of its node only if it is unique.
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

// Holder returns the node that has this body. It is nil for the main graph and for functions.
func (p *Place) Holder() *Node {
	if p.Parent == nil {
		return nil
	}
	return p.Parent.Graph.nodes[p.Node]
}

// Hops returns the path from the main graph to the place, which is empty for the main graph itself.
// It has the form that FindPlace accepts.
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

// WithGraph returns the model with the graph of a place replaced by g. Parts of the model that do
// not contain the place are shared with the original.
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

// WithRoots returns the model with the main graph and graphs of functions replaced, by their place.
// It is faster than WithGraph for each of them, which copies the list of functions every time.
func (m *Model) WithRoots(graphs map[*Place]*Graph) *Model {
	c := m.changed()
	replaced := map[*Function]*Graph{}
	for p, g := range graphs {
		switch p.Kind {
		case MainGraph:
			c.graph, c.hasGraph = g, true
		case FunctionBody:
			replaced[p.Function] = g
		}
	}
	c.functions = slices.Clone(m.functions)
	for i, f := range c.functions {
		if g, ok := replaced[f]; ok {
			c.functions[i] = f.withGraph(g)
			delete(replaced, f) // a later entry of the same function stays, as in WithGraph
		}
	}
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
