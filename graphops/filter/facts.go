package filter

import (
	"sync"

	"lathe/graphops"
	"lathe/graphops/scope"
)

// Facts has what filters need to know about one place of a model. Each fact is computed when it is
// first needed. Several filters may use it concurrently.
type Facts struct {
	place *graphops.Place
	graph *graphops.Graph
	index *graphops.Index
	o     Options

	typing  lazy[*typing]
	weights lazy[*weights]
	stored  lazy[[]*graphops.Tensor]
	live    lazy[graphops.Reach]
	around  lazy[[]bool] // captured values that something defines
	tree    lazy[*scope.Tree]
	known   vocabulary
}

// Options of NewFacts pass on what the caller knows already.
type Options struct {
	// Scopes is the module tree of the graph. If nil, it is built on first use.
	Scopes *scope.Tree
	// TypeOf returns the type of a value. It must be safe for concurrent calls. If it is nil, the
	// types that the file declares are used.
	TypeOf func(v graphops.ValueID) graphops.Type
}

// counted is a text with the number of times that it occurs.
type counted struct {
	Text  string
	Count int
}

// NewFacts returns the facts about a place, so that filters can be bound to it.
func NewFacts(place *graphops.Place, o Options) *Facts {
	if o.TypeOf == nil {
		o.TypeOf = place.Type
	}
	return &Facts{place: place, graph: place.Graph, index: place.Graph.Index(), o: o}
}

// lazy is a value that is computed when it is first needed.
type lazy[T any] struct {
	once  sync.Once
	value T
}

func (l *lazy[T]) get(make func() T) T {
	l.once.Do(func() { l.value = make() })
	return l.value
}

// scopes returns the module tree of the place, which it builds if the caller did not provide it.
func (f *Facts) scopes() *scope.Tree {
	return f.tree.get(func() *scope.Tree {
		if f.o.Scopes != nil {
			return f.o.Scopes
		}
		return scope.BuildPlace(f.place)
	})
}

// lives returns the nodes and values on which an output of the graph depends, and the outputs.
func (f *Facts) lives() graphops.Reach {
	return f.live.get(func() graphops.Reach {
		var outputs []graphops.Point
		for _, o := range f.graph.Outputs() {
			if v, ok := f.index.Value(o.Name()); ok {
				outputs = append(outputs, graphops.ValuePoint(v))
			}
		}
		r := f.index.Ancestors(outputs...)
		for _, p := range outputs {
			if v, ok := p.Value(); ok {
				r.Values[v] = true
			}
		}
		return r
	})
}

// item is what a test is applied to: a node, a value, or a tensor. For a tensor, value or node says
// where it is stored: it is the initializer of the value, or in an attribute of the node.
type item struct {
	node   int32            // -1 for none
	value  graphops.ValueID // -1 for none
	alone  bool             // tests of nodes do not apply to the value
	tensor *graphops.Tensor
}

// isNode reports whether the item is a node, and not a tensor in an attribute of a node.
func (it item) isNode() bool { return it.node >= 0 && it.tensor == nil }

// anyNode reports whether t is true for the node that an item is or belongs to. A value belongs to
// the node that produces it, or, if no node does, to each node that reads it.
func (f *Facts) anyNode(it item, t func(i int32) bool) bool {
	if it.node >= 0 {
		return t(it.node)
	}
	if it.value < 0 || it.alone {
		return false
	}
	if p := f.index.Producer(it.value); p >= 0 {
		return t(int32(p))
	}
	for _, r := range f.index.Readers(it.value) {
		if t(r) {
			return true
		}
	}
	return false
}

// anyMade reports whether t is true for the value, or for one of the outputs of the node.
func (f *Facts) anyMade(it item, t func(v graphops.ValueID) bool) bool {
	if it.value >= 0 {
		return t(it.value)
	}
	if it.node < 0 {
		return false
	}
	for _, v := range f.index.Makes(int(it.node)) {
		if t(v) {
			return true
		}
	}
	return false
}
