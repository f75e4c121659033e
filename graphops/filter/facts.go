package filter

import (
	"sync"

	"lathe/graphops"
	"lathe/graphops/scope"
)

// Facts are what filters ask of one place of a model, computed when first asked
// for and kept. Several filters may use them at once.
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

// Options tell what is known already.
type Options struct {
	// Scopes is the tree of modules of the graph; built when first asked for if
	// nil.
	Scopes *scope.Tree
	// TypeOf tells the type of a value, from several goroutines at once; what the
	// file declares if nil.
	TypeOf func(v graphops.ValueID) graphops.Type
}

// Counted is something with how often it occurs.
type Counted struct {
	Text  string
	Count int
}

// NewFacts prepares filters over a place.
func NewFacts(place *graphops.Place, o Options) *Facts {
	if o.TypeOf == nil {
		o.TypeOf = place.Type
	}
	return &Facts{place: place, graph: place.Graph, index: place.Graph.Index(), o: o}
}

// lazy is computed by whoever asks first.
type lazy[T any] struct {
	once  sync.Once
	value T
}

func (l *lazy[T]) get(make func() T) T {
	l.once.Do(func() { l.value = make() })
	return l.value
}

// scopes is the tree of modules.
func (f *Facts) scopes() *scope.Tree {
	return f.tree.get(func() *scope.Tree {
		if f.o.Scopes != nil {
			return f.o.Scopes
		}
		return scope.BuildPlace(f.place)
	})
}

// lives are the nodes and values that an output depends on, outputs included.
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

// item is what a test is held against: a node, a value, or a tensor with the
// value that it is or the node that holds it.
type item struct {
	node   int32            // -1 for none
	value  graphops.ValueID // -1 for none
	alone  bool             // nothing that is said of nodes holds for the value
	tensor *graphops.Tensor
}

// isNode reports whether the item is a node itself and no tensor in it.
func (it item) isNode() bool { return it.node >= 0 && it.tensor == nil }

// anyNode holds a test against the node that an item is or belongs to: the one
// that makes a value, or those that read one that no node makes.
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

// anyMade holds a test against a value, or against every output of a node.
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
