package scope

import "lathe/graphops"

// tree numbers the scopes in display order and completes the tree from the scopes of the nodes.
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
			t.Scopes[i].Parent = id[f.parent] // a parent precedes its children
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

// order returns the scopes in display order, and fills in the first node of each. Scopes without
// nodes, which can result from a guess by weights, are left out.
func (b *builder) order(first []int) []ID {
	met := b.meet(first)
	// Lists of children, filled from the end so that they are in order.
	child, next := nowhere(len(b.scopes)), nowhere(len(b.scopes))
	for i := len(met) - 1; i > 0; i-- {
		s := met[i]
		p := b.scopes[s].parent
		next[s], child[p] = child[p], s
	}
	out := make([]ID, 0, len(met))
	var walk func(ID) // its depth is at most MaxDepth
	walk = func(s ID) {
		out = append(out, s)
		for c := child[s]; c != none; c = next[c] {
			walk(c)
		}
	}
	walk(Root)
	return out
}

// meet returns the root and the scopes with nodes, sorted by their first node, outer before inner.
// Tools move constant computations to the front, in any order. Therefore nodes that depend on an
// input of the graph come first, and among them those whose scope is not a guess.
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

// meeting collects the scopes that have been met.
type meeting struct {
	scopes []found
	first  []int // node by scope, -1 for none
	met    []ID
	way    []ID
}

// add adds the scope of a node, and those around it that have not been met.
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

// placeNodes sorts the nodes by scope, counts them, and determines where each scope ends.
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
