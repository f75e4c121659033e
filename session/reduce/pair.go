package reduce

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/region"
	"lathe/graphops/tensor"
)

// cutBoth makes a part from some layers of two models: the nodes of each model between values that
// both have. Both sides use B's names.
func (s *subject) cutBoth(ctx context.Context, set []int, outputs []string) (Part, error) {
	var as, bs []int
	made := map[int]bool{} // layers whose value is computed by the part
	for _, u := range set {
		as, bs = append(as, s.units[u].a...), append(bs, s.units[u].b...)
		made[s.units[u].layer] = true
	}
	pa, pb := grow(s.A, as, s.inA), grow(s.B, bs, s.inB)
	if outputs == nil {
		outputs = s.leaving(set, pa, pb)
	}
	takes, names := s.taken(pa, pb)
	if len(outputs) == 0 {
		return Part{}, errUncut
	}
	given, err := s.values.get(ctx, names)
	if err != nil {
		return Part{}, err
	}
	p := Part{Feeds: graphops.Feeds{}}
	for i, l := range takes {
		p.Feeds[s.layers.Layers[l].B] = given[names[i]]
	}
	p.A = s.soundPart(pa, takes, given, outputs)
	if p.B, err = s.otherPart(pb, given, outputs); err != nil {
		return Part{}, err
	}
	s.feed(&p)
	for name, v := range fed(p.A, s.Feeds) {
		p.Feeds[name] = v
	}
	return p, nil
}

// grow returns a piece whose inputs are all shared values. It adds the nodes that compute other
// inputs.
func grow(m *graphops.Model, nodes []int, shared map[string]int) region.Piece {
	x := m.Graph().Index()
	for {
		p := region.PieceOf(m, nodes)
		i := slices.IndexFunc(p.Inputs, func(name string) bool { _, ok := shared[name]; return !ok })
		if i < 0 {
			return p
		}
		v, _ := x.Value(p.Inputs[i])
		nodes = append(p.Nodes(), x.Producer(v))
	}
}

// leaving returns the values that both models have and that other nodes than those of the part
// read, by their names in B. They become outputs of the part.
func (s *subject) leaving(set []int, pa, pb region.Piece) []string {
	var out []string
	for _, u := range set {
		l := s.layers.Layers[s.units[u].layer]
		if l.NodeA < 0 || l.NodeB < 0 || !pa.Has(l.NodeA) || !pb.Has(l.NodeB) {
			continue
		}
		if slices.Contains(pb.Outputs, l.B) || slices.Contains(pa.Outputs, l.A) {
			out = append(out, l.B)
		}
	}
	return out
}

// taken returns the layers whose values one of the two parts reads as inputs, and the names of
// these values in A.
func (s *subject) taken(pa, pb region.Piece) (list []int, names []string) {
	for _, name := range pa.Inputs {
		list = append(list, s.inA[name])
	}
	for _, name := range pb.Inputs {
		list = append(list, s.inB[name])
	}
	slices.Sort(list)
	list = slices.Compact(list)
	for _, l := range list {
		names = append(names, s.layers.Layers[l].A)
	}
	return list, names
}

// soundPart returns the part of A, the sound model. It gets the inputs of both parts, even those
// that it does not read, so that both parts can be run on the same inputs.
func (s *subject) soundPart(p region.Piece, takes []int, given map[string]graphops.Value, outputs []string) *graphops.Model {
	names := map[string]string{}
	for _, l := range takes {
		names[s.layers.Layers[l].A] = s.layers.Layers[l].B
	}
	var own []string
	for _, name := range outputs {
		a := s.layers.Layers[s.inB[name]].A
		own, names[a] = append(own, a), name
	}
	m := p.Model(func(name string) graphops.Type { return given[name].Type }, own)
	e := graphops.Edit(m)
	for _, l := range takes {
		if a := s.layers.Layers[l].A; !slices.Contains(p.Inputs, a) {
			e.Inputs = append(e.Inputs, graphops.NewValueInfo(a, given[a].Type))
		}
	}
	return Renamed(e.Model(), names)
}

// Renamed gives values of the main graph other names. If a new name is in use already, that value
// gets a fresh name.
func Renamed(m *graphops.Model, names map[string]string) *graphops.Model {
	fresh, x := graphops.NamesOf(m), m.Graph().Index()
	all := map[string]string{}
	for from, to := range names {
		if from == to {
			continue
		}
		all[from] = to
		if _, moves := names[to]; moves {
			continue
		}
		if _, taken := x.Value(to); taken {
			all[to] = fresh.Value(to)
		}
	}
	if len(all) == 0 {
		return m
	}
	return m.WithGraph(m.Places()[0], m.Graph().Renamed(all))
}

// otherPart returns the part of B, which is fed with A's values. If B has another floating-point
// type, a Cast is inserted.
func (s *subject) otherPart(p region.Piece, given map[string]graphops.Value, outputs []string) (*graphops.Model, error) {
	x := s.B.Graph().Index()
	types, casts := map[string]graphops.Type{}, map[string]tensor.DType{}
	for _, name := range p.Inputs {
		l := s.layers.Layers[s.inB[name]]
		value := given[l.A]
		v, _ := x.Value(name)
		t := s.typeOf(v)
		if isKnown(l.TypeB) {
			t = l.TypeB
		}
		if types[name] = value.Type; !value.IsTensor() || !isKnown(t) || t.Elem == value.Tensor.DType {
			continue
		}
		if t.Elem.Kind() != tensor.KindFloat || value.Tensor.DType.Kind() != tensor.KindFloat {
			return nil, errUncut
		}
		casts[name] = t.Elem
	}
	m := p.Model(func(name string) graphops.Type { return types[name] }, outputs)
	for _, name := range p.Inputs {
		if to, ok := casts[name]; ok {
			m = CastInput(m, name, types[name], to)
		}
	}
	return m, nil
}

// CastInput changes the type of an input and inserts a Cast to its previous type.
func CastInput(m *graphops.Model, name string, as graphops.Type, to tensor.DType) *graphops.Model {
	inner := graphops.NamesOf(m).Value(fmt.Sprintf("%s_%s", name, to))
	e := graphops.Edit(m.WithGraph(m.Places()[0], m.Graph().Renamed(map[string]string{name: inner})))
	for i, v := range e.Inputs {
		if v.Name() == inner {
			e.Inputs[i] = graphops.NewValueInfo(name, as)
		}
	}
	cast := graphops.NewNode(graphops.NodeSpec{
		Op: "Cast", Inputs: []string{name}, Outputs: []string{inner},
		Attributes: []*graphops.Attribute{graphops.IntAttribute("to", int64(to))},
	})
	e.Nodes = slices.Insert(e.Nodes, 0, cast)
	return e.Model()
}
