package reduce

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/region"
	"lathe/graphops/shape"
	"lathe/session/layers"
)

// Part is what a reduction leaves: a model, and the sound one beside it where there is one.
type Part struct {
	// A is nil where B shows the symptom alone, and B itself where the same model is run in
	// two ways. Inputs and outputs of both have the same names.
	A, B  *graphops.Model
	Feeds graphops.Feeds // nil where B is not run
}

// subject is what is searched, as units that are taken away.
type subject struct {
	Part
	units  []unit
	values *values
	types  *shape.Result // of B
	// Of two models: what they share, and the layer of a value.
	layers   *layers.Result
	inA, inB map[string]int
}

// unit is nodes of each model that stay or go together, by position.
type unit struct {
	a, b  []int
	layer int // -1 of one model
}

// newSubject takes a model apart into its nodes, or two into the regions between values
// that both have.
func newSubject(ctx context.Context, p Part, plain Runner, o layers.Options) (*subject, error) {
	s := &subject{Part: p}
	var err error
	if p.A != nil && p.A != p.B {
		side := func(m *graphops.Model) layers.Side { return layers.Side{Model: m, On: plain} }
		if s.layers, err = layers.Compare(ctx, side(p.A), side(p.B), p.Feeds, o); err != nil {
			return nil, err
		}
		s.A, s.B = s.layers.A, s.layers.B // whose nodes the layers name: calls of functions are inlined
	}
	sound := s.A
	if sound == nil {
		sound = s.B
	}
	s.values = &values{on: plain, model: sound, feeds: p.Feeds, have: map[string]graphops.Value{}}
	if s.types, err = shape.Infer(ctx, s.B, shape.Options{}); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		s.types = nil // what is not told joins
	}
	if s.layers == nil {
		s.unitsOfNodes()
	} else {
		s.unitsOfLayers()
	}
	return s, nil
}

// unitsOfNodes makes a unit of every node, producers first. A cycle has no such order; the
// file's does as well then.
func (s *subject) unitsOfNodes() {
	g := s.B.Graph()
	order, err := g.Order()
	if err != nil {
		order = make([]int, len(g.Nodes()))
		for i := range order {
			order[i] = i
		}
	}
	for _, i := range order {
		if s.Feeds == nil || !isConstant(g.Nodes()[i]) {
			s.units = append(s.units, unit{b: []int{i}, layer: -1})
		}
	}
}

func (s *subject) unitsOfLayers() {
	s.inA, s.inB = map[string]int{}, map[string]int{}
	for i, l := range s.layers.Layers {
		s.inA[l.A], s.inB[l.B] = i, i
		if len(l.RegionA)+len(l.RegionB) > 0 {
			s.units = append(s.units, unit{l.RegionA, l.RegionB, i})
		}
	}
}

// all are the numbers of all units.
func (s *subject) all() []int {
	out := make([]int, len(s.units))
	for i := range out {
		out[i] = i
	}
	return out
}

// unitOf is the unit of a node of B, or of a layer; -1 for none.
func (s *subject) unitOf(is func(unit) bool) int { return slices.IndexFunc(s.units, is) }

// cut makes a part of some units. With outputs, it has these alone of those that it could.
func (s *subject) cut(ctx context.Context, set []int, outputs []string) (Part, error) {
	if s.layers != nil {
		return s.cutBoth(ctx, set, outputs)
	}
	var nodes []int
	for _, u := range set {
		nodes = append(nodes, s.units[u].b...)
	}
	piece, types := s.typed(nodes)
	p := Part{}
	if s.Feeds != nil {
		given, err := s.values.get(ctx, piece.Inputs)
		if err != nil {
			return Part{}, err
		}
		p.Feeds = graphops.Feeds(given)
		for _, name := range piece.Inputs {
			types[name] = agreed(types[name], given[name])
		}
	}
	if outputs == nil {
		outputs = piece.Outputs
	}
	if len(outputs) == 0 {
		return Part{}, errUncut
	}
	p.B = piece.Model(func(name string) graphops.Type { return types[name] }, outputs)
	if s.A != nil {
		p.A = p.B
	}
	s.feed(&p)
	return p, nil
}

// feed adds what a part takes of the model's own inputs.
func (s *subject) feed(p *Part) {
	if s.Feeds == nil {
		return
	}
	if p.Feeds == nil {
		p.Feeds = graphops.Feeds{}
	}
	for name, v := range fed(p.B, s.Feeds) {
		if _, has := p.Feeds[name]; !has {
			p.Feeds[name] = v
		}
	}
}

// typed is the piece of some nodes and the types of its inputs. Where a type is told by
// nobody and there is no value to tell it, the node that makes the input joins.
func (s *subject) typed(nodes []int) (region.Piece, map[string]graphops.Type) {
	x := s.B.Graph().Index()
	for {
		piece, types := region.PieceOf(s.B, nodes), map[string]graphops.Type{}
		grown := false
		for _, name := range piece.Inputs {
			v, _ := x.Value(name)
			types[name] = s.typeOf(v)
			if s.Feeds == nil && !isKnown(types[name]) {
				nodes, grown = append(piece.Nodes(), x.Producer(v)), true
				break
			}
		}
		if !grown {
			return piece, types
		}
	}
}

func (s *subject) typeOf(v graphops.ValueID) graphops.Type {
	if s.types == nil {
		return s.B.Graph().Index().Type(v)
	}
	return s.types.Type(s.B.Places()[0], v)
}

func isKnown(t graphops.Type) bool {
	return t.Kind != graphops.TypeUnknown && (t.Kind != graphops.TypeTensor || t.Elem != 0)
}

// agreed is the type of an input that is fed a value: what is inferred, unless the value is
// of another.
func agreed(t graphops.Type, v graphops.Value) graphops.Type {
	if t.Kind != v.Type.Kind || t.Kind == graphops.TypeTensor && !fits(t, v) {
		return v.Type
	}
	return t
}

func fits(t graphops.Type, v graphops.Value) bool {
	if t.Elem != v.Tensor.DType || t.Shape == nil || len(t.Shape) != len(v.Tensor.Shape) {
		return false
	}
	for i, d := range t.Shape {
		if d.IsFixed() && d.Value != v.Tensor.Shape[i] {
			return false
		}
	}
	return true
}

func isConstant(n *graphops.Node) bool {
	return n.OpType() == "Constant" && n.Domain() == graphops.DefaultDomain
}
