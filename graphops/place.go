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
	for i, n := range p.Graph.nodes {
		for _, a := range n.attrs {
			for nth, g := range a.Graphs() {
				body := &Place{
					Kind: BodyGraph, Graph: g, Function: p.Function,
					Parent: p, Node: i, Attribute: a.name, Nth: nth,
				}
				p.Bodies = append(p.Bodies, body)
				m.addPlace(body)
			}
		}
	}
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
	case FunctionBody:
		k := p.Function.Key()
		hop := k.Domain + ":" + k.Name
		if k.Overload != "" {
			hop += ":" + k.Overload
		}
		return []string{hop}
	}
	node := p.Holder().name
	if node == "" || p.Parent.nodesNamed(node) > 1 {
		node = "#" + strconv.Itoa(p.Node)
	}
	hop := node + ":" + p.Attribute
	if a, ok := p.Holder().Attribute(p.Attribute); ok && len(a.graphs) > 0 {
		hop += fmt.Sprintf("[%d]", p.Nth)
	}
	return append(p.Parent.Hops(), hop)
}

func (p *Place) nodesNamed(name string) int {
	count := 0
	for _, n := range p.Graph.nodes {
		if n.name == name {
			count++
		}
	}
	return count
}

// String is the way to the place in one line, "" for the main graph.
func (p *Place) String() string { return strings.Join(p.Hops(), " › ") }

// FindPlace finds the place that the hops lead to. The first may be a function,
// as DOMAIN:NAME or DOMAIN:NAME:OVERLOAD; every other is NODE:ATTRIBUTE with the
// name of a node, or # and its position, and an attribute that holds a graph, or
// ATTRIBUTE[N] the Nth of several. Without hops it is the main graph.
func (m *Model) FindPlace(hops []string) (*Place, error) {
	all := m.Places()
	at := all[0]
	for i, hop := range hops {
		next := at.body(hop)
		if next == nil && i == 0 {
			next = functionPlace(all, hop)
		}
		if next == nil {
			return nil, unknownPlace(all, at, hop, i == 0)
		}
		at = next
	}
	return at, nil
}

func (p *Place) body(hop string) *Place {
	for _, b := range p.Bodies {
		hops := b.Hops()
		last := hops[len(hops)-1]
		if hop == last || hop == fmt.Sprintf("#%d", b.Node)+last[strings.LastIndex(last, ":"):] {
			return b
		}
	}
	return nil
}

func functionPlace(all []*Place, hop string) *Place {
	for _, p := range all {
		if p.Kind != FunctionBody {
			continue
		}
		if hops := p.Hops(); hops[0] == hop || p.Function.name == hop {
			return p
		}
	}
	return nil
}

func unknownPlace(all []*Place, at *Place, hop string, functions bool) error {
	var known []string
	for _, b := range at.Bodies {
		hops := b.Hops()
		known = append(known, hops[len(hops)-1])
	}
	for _, p := range all {
		if functions && p.Kind == FunctionBody {
			known = append(known, p.Hops()[0])
		}
	}
	where := "the main graph"
	if at.Kind != MainGraph {
		where = fmt.Sprintf("%q", at.String())
	}
	if len(known) == 0 {
		return fmt.Errorf("place %q: %s holds no bodies", hop, where)
	}
	near := NearestNames(hop, slices.Values(known))
	if len(near) == 0 {
		near = known[:min(3, len(known))]
	}
	return fmt.Errorf("place %q: %s holds none of that name; expected NODE:ATTRIBUTE or a function, such as %s", hop, where, QuoteNames(near))
}

// Capture is an edge into a body: a value from around it that it reads.
type Capture struct {
	Value ValueID // in the body's index
	From  *Place  // that defines the value; nil where none does
	Outer ValueID // in From's index
}

// Captures are the values that the place takes from around it, in the order of
// first use. A main graph or function that lists any is not valid.
func (p *Place) Captures() []Capture {
	var out []Capture
	for _, v := range p.Graph.Index().captured {
		out = append(out, p.capture(v))
	}
	return out
}

// capture finds where a value comes from that the place does not define.
func (p *Place) capture(v ValueID) Capture {
	name := p.Graph.Index().Name(v)
	for around := p.Parent; around != nil; around = around.Parent {
		x := around.Graph.Index()
		if id, ok := x.Value(name); ok && x.IsDefined(id) {
			return Capture{v, around, id}
		}
	}
	return Capture{v, nil, -1}
}

// Type is what the model says of a value of the place; of one that it captures,
// what is said where it comes from.
func (p *Place) Type(v ValueID) Type {
	x := p.Graph.Index()
	if t := x.Type(v); t.Kind != TypeUnknown || x.IsDefined(v) {
		return t
	}
	if c := p.capture(v); c.From != nil {
		return c.From.Type(c.Outer)
	}
	return Type{}
}

// WithGraph is the model with another graph in a place. Everything beside the
// way to the place is shared.
func (m *Model) WithGraph(p *Place, g *Graph) *Model {
	for p.Kind == BodyGraph {
		e := EditGraph(p.Parent.Graph)
		e.Nodes[p.Node] = p.Holder().withBody(p.Attribute, p.Nth, g)
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

// withBody is the node with one of its bodies replaced.
func (n *Node) withBody(attribute string, nth int, g *Graph) *Node {
	attrs := slices.Clone(n.attrs)
	for i, a := range attrs {
		if a.name != attribute || len(a.Graphs()) <= nth {
			continue
		}
		graphs := slices.Clone(a.Graphs())
		graphs[nth] = g
		attrs[i] = a.WithGraphs(graphs)
	}
	return n.WithAttributes(attrs)
}
