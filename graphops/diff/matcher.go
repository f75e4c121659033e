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
	pairs  map[*PlaceMatch]*pairing
	of     map[*graphops.Place]*PlaceMatch
}

func newMatcher(ctx context.Context, a, b *graphops.Model) *matcher {
	m := &matcher{ctx: ctx, a: a, b: b, pairs: map[*PlaceMatch]*pairing{}, of: map[*graphops.Place]*PlaceMatch{}}
	m.la, m.lb = newLabeller(a, b, &m.heads), newLabeller(b, a, &m.heads)
	return m
}

// match matches all nodes first, place by place and outer places before inner ones, so that the
// partners of captured values are known in a body. It then matches the constants.
func (m *matcher) match() (*Matching, error) {
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
	return &Matching{Places: m.places}, nil
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
	type key struct {
		node      int
		attribute string
		nth       int
	}
	inB := map[key]*graphops.Place{}
	for _, body := range p.B.Bodies {
		inB[key{body.Node, body.Attribute, body.Nth}] = body
	}
	var out [][2]*graphops.Place
	for _, body := range p.A.Bodies {
		if other := inB[key{p.NodeOfA(body.Node), body.Attribute, body.Nth}]; other != nil {
			out = append(out, [2]*graphops.Place{body, other})
		}
	}
	return out
}

// place matches the nodes of two places, one of each model.
func (m *matcher) place(pa, pb *graphops.Place) (*PlaceMatch, error) {
	if err := m.ctx.Err(); err != nil {
		return nil, err
	}
	a, b := m.side(pa, m.la), m.side(pb, m.lb)
	var shared *interfaces
	if pa.Kind == graphops.MainGraph {
		shared = newInterfaces(a, b)
	}
	m.nameCaptured(a, b)
	for _, s := range []*side{a, b} {
		s.number(shared)
		s.hashDown()
		s.hashUp()
	}
	q, err := pair(m.ctx, a, b)
	if err != nil {
		return nil, err
	}
	p := &PlaceMatch{
		A: pa, B: pb, a: a, b: b, outer: m.of[pa.Parent],
		nodeOfA: q.nodeA, nodeOfB: q.nodeB, valueOfA: q.valueA, valueOfB: q.valueB,
	}
	m.places = append(m.places, p)
	m.pairs[p], m.of[pa], m.of[pb] = q, p, p
	return p, nil
}

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
		if around := m.of[o.side.place]; around != nil && around.valueOfB[o.value] != none {
			h = mixAll(markCapture, hash(around.A.ID), hash(around.valueOfB[o.value]))
		}
		b.captured[w] = h
	}
}

// functions pairs functions with the same key, and the remaining ones with the same content.
func (m *matcher) functions() [][2]*graphops.Place {
	var out [][2]*graphops.Place
	byKey, byContent := map[graphops.FunctionKey]*graphops.Place{}, map[hash][]*graphops.Place{}
	for _, p := range m.b.Places() {
		if p.Kind != graphops.FunctionBody {
			continue
		}
		if key := p.Function.Key(); m.lb.shared[key] {
			byKey[key] = p
		} else {
			h := m.lb.function(key)
			byContent[h] = append(byContent[h], p)
		}
	}
	for _, p := range m.a.Places() {
		if p.Kind != graphops.FunctionBody {
			continue
		}
		key := p.Function.Key()
		if other := byKey[key]; other != nil {
			out = append(out, [2]*graphops.Place{p, other})
			continue
		}
		h := m.la.function(key)
		if list := byContent[h]; len(list) > 0 {
			out = append(out, [2]*graphops.Place{p, list[0]})
			byContent[h] = list[1:]
		}
	}
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
