package reduce

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/region"
	"lathe/graphops/shape"
	"lathe/session/layers"
)

// Part is the result of a reduction: a model and, if there is one, the sound model to compare with.
type Part struct {
	// A is nil if B shows the symptom alone. It is B itself if the same model is run in two ways.
	// Inputs and outputs of both have the same names.
	A, B  *graphops.Model
	Feeds graphops.Feeds // nil if B is not run
}

// subject is the model to search in, split into units that can be removed.
type subject struct {
	Part
	units  []unit
	values *values
	types  *shape.Result // inferred types of B
	// For two models: what they share, and the layer of a value by name.
	layers   *layers.Result
	inA, inB map[string]int
}

// unit is a set of nodes of each model, by index, that stay or go together.
type unit struct {
	a, b  []int
	layer int // -1 for a single model
}

// newSubject splits a model into its nodes, or two models into the regions between values that both
// have.
func newSubject(ctx context.Context, p Part, plain Runner, o layers.Options) (*subject, error) {
	s := &subject{Part: p}
	var err error
	if p.A != nil && p.A != p.B {
		side := func(m *graphops.Model) layers.Side { return layers.Side{Model: m, On: plain} }
		if s.layers, err = layers.Compare(ctx, side(p.A), side(p.B), p.Feeds, o); err != nil {
			return nil, err
		}
		// the layers refer to these models, in which calls of functions are inlined
		s.A, s.B = s.layers.A, s.layers.B
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
		s.types = nil // values without a known type are handled by adding their producer to the part
	}
	if s.layers == nil {
		s.unitsOfNodes()
	} else {
		s.unitsOfLayers()
	}
	return s, nil
}

// unitsOfNodes makes a unit of every node, producers first. If the graph has a cycle, it uses the
// order of the file.
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
		if s.Feeds == nil || !g.Nodes()[i].IsConstant() {
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

// all returns the numbers of all units.
func (s *subject) all() []int {
	out := make([]int, len(s.units))
	for i := range out {
		out[i] = i
	}
	return out
}

// unitOf returns the first unit with a property, or -1.
func (s *subject) unitOf(is func(unit) bool) int { return slices.IndexFunc(s.units, is) }

// cut makes a part from some units. outputs restricts its outputs; nil means all.
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

// feed adds the part's inputs that are inputs of the whole model.
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

// typed returns the piece of some nodes and the types of its inputs. If a type is not known and
// there is no value to derive it from, it adds the node that computes the input.
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

// agreed returns the type of an input with a value: the inferred type, unless the value has another
// type.
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
