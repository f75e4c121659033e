package diff

import (
	"context"

	"lathe/graphops"
)

// matcher matches the places of two models with each other.
type matcher struct {
	ctx    context.Context
	a, b   *graphops.Model
	la, lb *labeller
	heads  heads

	places []*PlaceMatch
	of     map[*graphops.Place]*PlaceMatch
}

func newMatcher(ctx context.Context, a, b *graphops.Model) *matcher {
	m := &matcher{ctx: ctx, a: a, b: b, of: map[*graphops.Place]*PlaceMatch{}}
	m.la, m.lb = newLabeller(a, b, &m.heads), newLabeller(b, a, &m.heads)
	return m
}

// match matches all nodes first, place by place and outer places before inner ones, so that the
// partners of captured values are known in a body. It then matches the constants.
func (m *matcher) match() ([]*PlaceMatch, error) {
	if err := m.tree(m.a.Places()[0], m.b.Places()[0]); err != nil {
		return nil, err
	}
	for _, f := range m.functions() {
		if err := m.tree(f[0], f[1]); err != nil {
			return nil, err
		}
	}
	m.matchConstants()
	for _, p := range m.places {
		m.settle(p)
	}
	m.addUnmatched()
	return m.places, nil
}

// tree matches two places, and then the bodies inside them.
func (m *matcher) tree(pa, pb *graphops.Place) error {
	work := [][2]*graphops.Place{{pa, pb}}
	for len(work) > 0 {
		next := work[0]
		work = work[1:]
		p, err := m.place(next[0], next[1])
		if err != nil {
			return err
		}
		work = append(work, p.bodies()...)
	}
	return nil
}

// bodies returns the pairs of bodies in the same attribute of two partners.
func (p *PlaceMatch) bodies() [][2]*graphops.Place {
	keys := func(list []*graphops.Place, nodes func(node int) int32) (out []keyed) {
		for k, body := range list {
			out = append(out, keyed{int32(k), mixAll(hash(nodes(body.Node)), hashText(body.Attribute), hash(body.Nth))})
		}
		return out
	}
	var out [][2]*graphops.Place
	as := keys(p.A.Bodies, func(node int) int32 { return p.nodeA[node] })
	bs := keys(p.B.Bodies, func(node int) int32 { return int32(node) })
	alike(as, bs, false, func(i, j int32) { out = append(out, [2]*graphops.Place{p.A.Bodies[i], p.B.Bodies[j]}) })
	return out
}

// place matches the nodes of two places, one of each model.
func (m *matcher) place(pa, pb *graphops.Place) (*PlaceMatch, error) {
	if err := m.ctx.Err(); err != nil {
		return nil, err
	}
	a, b := m.side(pa, m.la), m.side(pb, m.lb)
	var in, out [2]map[string]hash
	if pa.Kind == graphops.MainGraph {
		in = portKeys(pa.Graph.Inputs(), pb.Graph.Inputs(), a.isStored, b.isStored)
		out = portKeys(pa.Graph.Outputs(), pb.Graph.Outputs(), isNothing, isNothing)
	}
	m.nameCaptured(a, b)
	for k, s := range []*side{a, b} {
		s.number(in[k], out[k])
		s.hashDown()
		s.hashUp()
	}
	q, err := pair(m.ctx, a, b)
	if err != nil {
		return nil, err
	}
	p := &PlaceMatch{A: pa, B: pb, Names: q.trusted, pairing: q, outer: m.of[pa.Parent]}
	m.places = append(m.places, p)
	m.of[pa], m.of[pb] = p, p
	return p, nil
}

// isStored reports whether a constant has the name.
func (s *side) isStored(name string) bool {
	v := s.numberOf(name)
	return v >= 0 && s.constants[v] != nil
}

func isNothing(string) bool { return false }

// side prepares a place for matching, and finds the places that define its captured values.
func (m *matcher) side(p *graphops.Place, l *labeller) *side {
	s := newSide(p, &m.heads)
	s.outer = map[int32]outerValue{}
	for _, c := range p.Captures() {
		if c.From == nil {
			continue
		}
		if around := m.of[c.From]; around != nil {
			// l shows which model is meant: the places do not if a model is compared with itself
			of := around.a
			if l == m.lb {
				of = around.b
			}
			s.outer[int32(c.Value)] = outerValue{of, int32(c.Outer)}
		}
	}
	l.label(s)
	return s
}

// nameCaptured gives the captured values of two bodies a hash each. Two values get the same hash if
// they are partners in the places that define them.
func (m *matcher) nameCaptured(a, b *side) {
	a.captured, b.captured = map[int32]hash{}, map[int32]hash{}
	for _, s := range []*side{a, b} { // undefined values are identified by name
		for _, v := range s.index.Captured() {
			s.captured[int32(v)] = mix(markUnknown, hashText(s.index.Name(v)))
		}
	}
	for v, o := range a.outer {
		a.captured[v] = mixAll(markCapture, hash(o.side.place.ID), hash(o.value))
	}
	for w, o := range b.outer {
		h := mixAll(markUnknown, hash(o.side.place.ID), hash(o.value))
		if around := m.of[o.side.place]; around != nil && around.valueB[o.value] != none {
			h = mixAll(markCapture, hash(around.A.ID), hash(around.valueB[o.value]))
		}
		b.captured[w] = h
	}
}

// functions pairs functions with the same key, and the remaining ones with the same content.
func (m *matcher) functions() [][2]*graphops.Place {
	keys := func(l *labeller, list []*graphops.Place) (out []keyed) {
		for k, p := range list {
			if p.Kind == graphops.FunctionBody {
				out = append(out, keyed{int32(k), l.operator(p.Function.Key())})
			}
		}
		return out
	}
	as, bs := m.a.Places(), m.b.Places()
	var out [][2]*graphops.Place
	alike(keys(m.la, as), keys(m.lb, bs), false, func(i, j int32) { out = append(out, [2]*graphops.Place{as[i], bs[j]}) })
	return out
}

// addUnmatched adds the places without a partner to the list of places.
func (m *matcher) addUnmatched() {
	for _, p := range m.a.Places() {
		if m.of[p] == nil {
			m.places = append(m.places, &PlaceMatch{A: p})
		}
	}
	for _, p := range m.b.Places() {
		if m.of[p] == nil {
			m.places = append(m.places, &PlaceMatch{B: p})
		}
	}
}
