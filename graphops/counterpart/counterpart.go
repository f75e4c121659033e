package counterpart

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/graphops/shape"
)

// How says by what evidence a pair of values was found.
type How string

// The ways to find a pair.
const (
	ByName        How = "name"        // the same name, if names have the same meaning in both models
	ByStructure   How = "structure"   // the same position in the graph
	ByNeighbours  How = "neighbours"  // the same operator between matched nodes; this is a guess
	ByDequantized How = "dequantized" // B quantizes the counterpart and dequantizes it to this value
	// set by callers: a run gave this value of B the same elements as a value of A without
	// counterpart
	ByContent How = "content"
)

// Pair is a value of A and its counterpart in B. A value of A may have several.
type Pair struct {
	A, B         graphops.ValueID
	How          How
	TypeA, TypeB graphops.Type // as inferred; unknown if nothing is known
}

// Map says which values of model B correspond to which values of model A.
type Map struct {
	A, B *graphops.Model
	// Pairs are in the topological order of A. Pairs with the same value of A are in the
	// topological order of B. Initializers and outputs of Constant nodes are included if both
	// values are constants. The counterpart of a computed value of A may be a constant, for example
	// after constant folding.
	Pairs []Pair
	// OnlyA and OnlyB have the outputs of nodes without a counterpart, in topological order.
	OnlyA, OnlyB []graphops.ValueID
	// Names reports whether equal names were used as evidence.
	Names bool

	a, b  *side
	nodes *diff.PlaceMatch
}

// Find matches the values of the two main graphs. It reads only the first bytes of large weights.
func Find(ctx context.Context, a, b *graphops.Model) (*Map, error) {
	sa, err := newSide(ctx, a)
	if err != nil {
		return nil, fmt.Errorf("a: %w", err)
	}
	sb, err := newSide(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("b: %w", err)
	}
	places, err := diff.Match(ctx, a, b)
	if err != nil {
		return nil, err
	}
	f := &finder{a: sa, b: sb, nodes: places[0], of: map[graphops.ValueID]found{}, taken: map[graphops.ValueID]bool{}}
	f.find()
	return f.result(), nil
}

// side is one of the two models, with the inferred types of its values.
type side struct {
	model *graphops.Model
	graph *graphops.Graph
	index *graphops.Index
	types *shape.Result
	place *graphops.Place
	order []int                     // nodes
	lone  map[graphops.ValueID]bool // computed values without a counterpart
}

func newSide(ctx context.Context, m *graphops.Model) (*side, error) {
	s := &side{model: m, graph: m.Graph(), index: m.Graph().Index(), place: m.Places()[0]}
	if d := s.index.Duplicates; len(d) > 0 {
		return nil, fmt.Errorf("value %q is defined twice; lathe check tells where", d[0])
	}
	var err error
	if s.order, err = s.graph.Order(); err != nil {
		return nil, err
	}
	s.types, err = shape.Infer(ctx, m, shape.Options{Fresh: true})
	return s, err
}

func (s *side) typeOf(v graphops.ValueID) graphops.Type { return s.types.Type(s.place, v) }

// producer returns the node that produces a value, nil for inputs and constants.
func (s *side) producer(v graphops.ValueID) *graphops.Node {
	if i := s.index.Producer(v); i >= 0 && !s.graph.Nodes()[i].IsConstant() {
		return s.graph.Nodes()[i]
	}
	return nil
}

// isMade reports whether a node other than a Constant produces the value.
func (s *side) isMade(v graphops.ValueID) bool { return s.producer(v) != nil }

// isConstant reports whether the value is an initializer or the output of a Constant node.
func (s *side) isConstant(v graphops.ValueID) bool {
	if i := s.index.Producer(v); i >= 0 {
		return s.graph.Nodes()[i].IsConstant()
	}
	return s.index.IsInitializer(v)
}
