package scope

import "lathe/graphops"

// tree numbers the scopes in the order in which they are drawn and fills in what
// follows from where the nodes stand.
func (b *builder) tree(g *graphops.Graph) *Tree {
	first := make([]int, len(b.scopes))
	order := b.order(first)
	id := make([]ID, len(b.scopes)) // by number in the builder
	t := &Tree{Scopes: make([]Scope, len(order)), Cut: b.cut, of: b.of, source: b.source}
	for i, s := range order {
		id[s] = ID(i)
		f := b.scopes[s]
		t.Scopes[i] = Scope{Name: f.name, Class: f.class, Parent: none, Depth: f.depth, First: first[s], Fold: -1}
		if f.parent != none {
			t.Scopes[i].Parent = id[f.parent] // a parent stands before its children
		}
	}
	for i, s := range t.of {
		t.of[i] = id[s]
	}
	t.placeNodes()
	t.Folds = t.folds(g)
	t.weigh(b.index, b.reads)
	return t
}

// order lists the scopes as they are drawn, and fills in the first node of each. Scopes
// that no node stands in or below, which a guess by weights may leave, are not among
// them.
func (b *builder) order(first []int) []ID {
	met := b.meet(first)
	// Children in lists, filled from behind so that the first stands in front.
	child, next := nowhere(len(b.scopes)), nowhere(len(b.scopes))
	for i := len(met) - 1; i > 0; i-- {
		s := met[i]
		p := b.scopes[s].parent
		next[s], child[p] = child[p], s
	}
	out := make([]ID, 0, len(met))
	var walk func(ID) // as deep as the tree, MaxDepth
	walk = func(s ID) {
		out = append(out, s)
		for c := child[s]; c != none; c = next[c] {
			walk(c)
		}
	}
	walk(Root)
	return out
}

// meet lists the root and the scopes that have nodes by their first node, outer
// before inner. Tools hoist what is computed from constants to the front, in any
// order, so nodes that depend on an input of the graph go first, and among them those
// whose scope is no guess.
func (b *builder) meet(first []int) []ID {
	for i := range first {
		first[i] = -1
	}
	m := meeting{scopes: b.scopes, first: first, met: []ID{Root}}
	for i, s := range b.of {
		if b.live[i] && b.source[i] != Around {
			m.add(i, s)
		}
	}
	for i, s := range b.of {
		if b.live[i] {
			m.add(i, s)
		}
	}
	for i, s := range b.of {
		m.add(i, s)
	}
	return m.met
}

// meeting is the scopes that have been met.
type meeting struct {
	scopes []found
	first  []int // node by scope, -1 for none
	met    []ID
	way    []ID
}

// add meets the scope of a node, and those around it that have not been met.
func (m *meeting) add(node int, s ID) {
	m.way = m.way[:0]
	for ; s != none && m.first[s] < 0; s = m.scopes[s].parent {
		m.first[s] = node
		if s != Root {
			m.way = append(m.way, s)
		}
	}
	for i := len(m.way) - 1; i >= 0; i-- {
		m.met = append(m.met, m.way[i])
	}
}

// placeNodes sorts the nodes by scope and counts them, and finds where each scope
// ends.
func (t *Tree) placeNodes() {
	t.start = make([]int32, len(t.Scopes)+1)
	for _, s := range t.of {
		t.start[s+1]++
	}
	for s := range t.Scopes {
		t.start[s+1] += t.start[s]
	}
	t.nodes = make([]int32, len(t.of))
	next := append([]int32(nil), t.start...)
	for i, s := range t.of {
		t.nodes[next[s]] = int32(i)
		next[s]++
	}
	for i := len(t.Scopes) - 1; i >= 0; i-- {
		s := &t.Scopes[i]
		s.Own = int(t.start[i+1] - t.start[i])
		s.Nodes += s.Own
		s.End = max(s.End, ID(i+1))
		if s.Parent != none {
			p := &t.Scopes[s.Parent]
			p.Nodes += s.Nodes
			p.End = max(p.End, s.End)
		}
	}
}
