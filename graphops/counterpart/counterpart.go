package counterpart

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/graphops/shape"
)

// How tells by what two values were found to belong together.
type How string

// The ways to find a pair.
const (
	ByName        How = "name"        // the same name, where names mean the same
	ByStructure   How = "structure"   // the same place in the graph
	ByNeighbours  How = "neighbours"  // the same operator between what is matched: a guess
	ByDequantized How = "dequantized" // B quantizes the counterpart and makes this of it again
	ByContent     How = "content"     // the elements of another value of A that nothing else of B is; found by a run
)

// Pair is a value of A and its counterpart in B. A value of A may have several.
type Pair struct {
	A, B         graphops.ValueID
	How          How
	TypeA, TypeB graphops.Type // as inferred; unknown where nothing tells
}

// Map is which values of B are which of A.
type Map struct {
	A, B *graphops.Model
	// Pairs are in the topological order of A, those of one value of A in that of B.
	// Initializers and what Constant nodes make are among them where both are constants; a
	// computed value of A may have a constant as its counterpart.
	Pairs []Pair
	// OnlyA and OnlyB are the values that nodes make and that have no counterpart, in the
	// order of the nodes.
	OnlyA, OnlyB []graphops.ValueID
	// Names tells whether names were believed.
	Names bool

	a, b  *side
	nodes *diff.PlaceMatch
}

// Find matches the values of the main graphs. It reads no weights but their first bytes.
func Find(ctx context.Context, a, b *graphops.Model) (*Map, error) {
	sa, err := newSide(ctx, a)
	if err != nil {
		return nil, fmt.Errorf("a: %w", err)
	}
	sb, err := newSide(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("b: %w", err)
	}
	matching, err := diff.Match(ctx, a, b)
	if err != nil {
		return nil, err
	}
	f := &finder{a: sa, b: sb, nodes: matching.Places[0], of: map[graphops.ValueID]found{}, taken: map[graphops.ValueID]bool{}}
	f.find()
	return f.result(), nil
}

// side is one of the models with what is known of its values.
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

// producer is the node that makes a value, nil of inputs and constants.
func (s *side) producer(v graphops.ValueID) *graphops.Node {
	if i := s.index.Producer(v); i >= 0 && !isConstant(s.graph.Nodes()[i]) {
		return s.graph.Nodes()[i]
	}
	return nil
}

// isMade reports whether a node other than a Constant makes the value.
func (s *side) isMade(v graphops.ValueID) bool { return s.producer(v) != nil }

// isConstant reports whether the value is an initializer that nothing replaces, or what a
// Constant node makes.
func (s *side) isConstant(v graphops.ValueID) bool {
	if i := s.index.Producer(v); i >= 0 {
		return isConstant(s.graph.Nodes()[i])
	}
	return s.index.IsInitializer(v)
}

func isConstant(n *graphops.Node) bool {
	return n.OpType() == "Constant" && n.Domain() == graphops.DefaultDomain
}

// outputs are the values that a node makes.
func (s *side) outputs(i int) []graphops.ValueID {
	var out []graphops.ValueID
	for _, name := range s.graph.Nodes()[i].Outputs() {
		if v, ok := s.index.Value(name); ok && name != "" && s.index.Producer(v) == i {
			out = append(out, v)
		}
	}
	return out
}
