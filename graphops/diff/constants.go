package diff

import "lathe/graphops"

// operands calls visit for each pair of constants that two partners in p read as the same input.
// around is the match of the place that defines the constants.
func (m *matcher) operands(p *PlaceMatch, visit func(around *PlaceMatch, v, w int32)) {
	for i, j := range p.nodeOfA {
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
					m.pairs[around].joinConstants(v, w, ByNeighbours)
				}
			})
		}
	}
	join(true)
	for _, p := range m.places {
		m.pairs[p].joinElements()
	}
	join(false)
	for _, p := range m.places {
		m.pairs[p].joinUnread()
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
	rest := map[hash][]int32{}
	for w, c := range p.b.constants {
		if c != nil && p.valueB[w] == none {
			rest[c.full] = append(rest[c.full], int32(w))
		}
	}
	mine := map[hash][]int32{}
	for v, c := range p.a.constants {
		if c != nil && p.valueA[v] == none {
			mine[c.full] = append(mine[c.full], int32(v))
		}
	}
	for v, c := range p.a.constants {
		if c == nil || p.valueA[v] != none || len(rest[c.full]) == 0 {
			continue
		}
		if list := rest[c.full]; len(list) == 1 && len(mine[c.full]) == 1 {
			p.joinConstants(int32(v), list[0], ByContent)
		}
	}
}

// joinUnread joins the remaining constants: those with the same name and type, and then those that
// nothing reads, by content.
func (p *pairing) joinUnread() {
	for v, c := range p.a.constants {
		if c == nil || p.valueA[v] != none {
			continue
		}
		w, ok := p.b.index.Value(p.a.index.Name(valueID(int32(v))))
		if ok && p.b.constants[w] != nil && p.valueB[w] == none && p.b.constants[w].form == c.form {
			p.joinConstants(int32(v), int32(w), ByName)
		}
	}
	rest := map[hash][]int32{}
	for w, c := range p.b.constants {
		if c != nil && p.valueB[w] == none && len(p.b.usesOf(int32(w))) == 0 {
			rest[c.full] = append(rest[c.full], int32(w))
		}
	}
	for v, c := range p.a.constants {
		if c == nil || p.valueA[v] != none || len(p.a.usesOf(int32(v))) > 0 || len(rest[c.full]) == 0 {
			continue
		}
		p.joinConstants(int32(v), rest[c.full][0], ByOrder)
		rest[c.full] = rest[c.full][1:]
	}
}

// settle completes the match of a place with its values and nodes, in the order of A. Two Constant
// nodes are partners if their outputs are.
func (m *matcher) settle(p *PlaceMatch) {
	q := m.pairs[p]
	for v, w := range q.valueA {
		if w == none {
			continue
		}
		p.Values = append(p.Values, ValuePair{graphops.ValueID(v), graphops.ValueID(w), q.howValue[v]})
		x, y := p.a.constants[v], p.b.constants[w]
		if x != nil && y != nil && x.node >= 0 && y.node >= 0 {
			p.nodeOfA[x.node], p.nodeOfB[y.node] = int32(y.node), int32(x.node)
			q.howNode[x.node] = q.howValue[v]
		}
	}
	p.pairOverruled()
	for i, j := range p.nodeOfA {
		if j != none {
			p.Nodes = append(p.Nodes, NodePair{i, int(j), q.howNode[i]})
		}
	}
}

// pairOverruled makes Constant nodes partners that have no effect, because a later definition of
// the same name replaces them.
func (p *PlaceMatch) pairOverruled() {
	rest := map[hash][]int{}
	for j, c := range p.b.constantNode {
		if c != nil && p.nodeOfB[j] == none && p.b.isOverruled(j) {
			rest[c.full] = append(rest[c.full], j)
		}
	}
	for i, c := range p.a.constantNode {
		if c == nil || p.nodeOfA[i] != none || !p.a.isOverruled(i) || len(rest[c.full]) == 0 {
			continue
		}
		j := rest[c.full][0]
		rest[c.full] = rest[c.full][1:]
		p.nodeOfA[i], p.nodeOfB[j] = int32(j), int32(i)
	}
}

func (s *side) isOverruled(i int) bool { return s.constants[s.outputs[i][0]] != s.constantNode[i] }

// isRead reports whether a node reads a value or the graph returns it.
func (s *side) isRead(v int32) bool { return len(s.usesOf(v)) > 0 || len(s.interfaceOut[v]) > 0 }
