package diff

import "lathe/graphops"

// operands calls visit for each pair of constants that two partners in p read as the same input.
// around is the match of the place that defines the constants.
func (m *matcher) operands(p *PlaceMatch, visit func(around *PlaceMatch, v, w int32)) {
	for i, j := range p.nodeA {
		if j == none {
			continue
		}
		as, bs := p.a.inputs[i], p.b.inputs[j]
		for k := range min(len(as), len(bs)) {
			v, w := p.a.behind(as[k]), p.b.behind(bs[k])
			if p.a.constant(v) == nil || p.b.constant(w) == nil {
				continue
			}
			sa, v := p.a.origin(v)
			sb, w := p.b.origin(w)
			if around := m.of[sa.place]; around != nil && around.b == sb {
				visit(around, v, w)
			}
		}
	}
}

// matchConstants joins constants in four rounds: those that partners read as the same input and
// whose elements are equal; those whose elements occur only once on each side; all others that
// partners read as the same input; and those that nothing reads. Each round covers all places,
// because a constant of the main graph may be read only in bodies.
func (m *matcher) matchConstants() {
	join := func(same bool) {
		for _, p := range m.places {
			m.operands(p, func(around *PlaceMatch, v, w int32) {
				if !same || around.a.constants[v].full == around.b.constants[w].full {
					around.joinConstants(v, w, ByNeighbours)
				}
			})
		}
	}
	join(true)
	for _, p := range m.places {
		p.joinElements()
	}
	join(false)
	for _, p := range m.places {
		p.joinUnread()
	}
}

func (p *pairing) joinConstants(v, w int32, how How) {
	if p.valueA[v] == none && p.valueB[w] == none {
		p.valueA[v], p.valueB[w], p.howValue[v] = w, v, how
	}
}

// joinElements joins constants whose elements occur exactly once on each side. This finds a
// constant that both models still have, although the node that read it in A reads another constant
// in B.
func (p *pairing) joinElements() {
	all := func(*side, int32) bool { return true }
	alike(p.openConstants(p.a, p.valueA, all), p.openConstants(p.b, p.valueB, all), true, func(v, w int32) {
		p.joinConstants(v, w, ByContent)
	})
}

// openConstants returns the constants that have no partner and that are wanted, with the hash of
// their elements.
func (p *pairing) openConstants(s *side, partner []int32, wanted func(s *side, v int32) bool) []keyed {
	var out []keyed
	for v, c := range s.constants {
		if c != nil && partner[v] == none && wanted(s, int32(v)) {
			out = append(out, keyed{int32(v), c.full})
		}
	}
	return out
}

// joinUnread joins the remaining constants: those with the same name and type, and then those that
// nothing reads, by content.
func (p *pairing) joinUnread() {
	for v, c := range p.a.constants {
		if c == nil || p.valueA[v] != none {
			continue
		}
		w, ok := p.b.index.Value(p.a.name(int32(v)))
		if ok && p.b.constants[w] != nil && p.valueB[w] == none && p.b.constants[w].form == c.form {
			p.joinConstants(int32(v), int32(w), ByName)
		}
	}
	unread := func(s *side, v int32) bool { return len(s.usesOf(v)) == 0 }
	alike(p.openConstants(p.a, p.valueA, unread), p.openConstants(p.b, p.valueB, unread), false, func(v, w int32) {
		p.joinConstants(v, w, ByOrder)
	})
}

// settle completes the match of a place with its values and nodes, in the order of A. Two Constant
// nodes are partners if their outputs are.
func (m *matcher) settle(p *PlaceMatch) {
	for v, w := range p.valueA {
		if w == none {
			continue
		}
		p.Values = append(p.Values, ValuePair{graphops.ValueID(v), graphops.ValueID(w), p.howValue[v]})
		x, y := p.a.constants[v], p.b.constants[w]
		if x != nil && y != nil && x.node >= 0 && y.node >= 0 {
			p.nodeA[x.node], p.nodeB[y.node] = int32(y.node), int32(x.node)
			p.howNode[x.node] = p.howValue[v]
		}
	}
	p.pairOverruled()
	for i, j := range p.nodeA {
		if j != none {
			p.Nodes = append(p.Nodes, NodePair{i, int(j), p.howNode[i]})
		}
	}
}

// pairOverruled makes Constant nodes partners that have no effect, because a later definition of
// the same name replaces them.
func (p *PlaceMatch) pairOverruled() {
	alike(p.a.overruled(p.nodeA), p.b.overruled(p.nodeB), false, func(i, j int32) {
		p.nodeA[i], p.nodeB[j] = j, i
	})
}

// overruled returns the Constant nodes without a partner that have no effect.
func (s *side) overruled(partner []int32) []keyed {
	var out []keyed
	for i, c := range s.constantNode {
		if c != nil && partner[i] == none && s.constants[s.outputs[i][0]] != c {
			out = append(out, keyed{int32(i), c.full})
		}
	}
	return out
}

// isRead reports whether a node reads a value or the graph returns it.
func (s *side) isRead(v int32) bool { return len(s.usesOf(v)) > 0 || len(s.interfaceOut[v]) > 0 }
