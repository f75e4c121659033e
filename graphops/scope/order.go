package scope

import "lathe/graphops"

// tree creates the tree from the scopes of the nodes. It numbers the scopes in display order.
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
	t.weigh(g, b.reads)
	return t
}

// order returns the scopes in display order, and sets the first node of each in first. It leaves
// out scopes without nodes. There can be such scopes if scopes were derived from the names of
// weights.
func (b *builder) order(first []int) []ID {
	met := b.meet(first)
	// Linked lists of the children of each scope. They are filled from the end, so that they are in
	// order.
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

// meet returns the root and all scopes with nodes, in the order of their first nodes, outer before
// inner ones. Nodes that depend on an input of the graph are considered first, because tools move
// the computation of constants to the front of a graph, in any order. Of these nodes, those whose
// scope has the source Around come last.
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

// meeting lists the scopes in the order in which add meets them. first has the first node of each.
type meeting struct {
	scopes []found
	first  []int // node by scope, -1 for none
	met    []ID
	way    []ID
}

// add adds the scope of a node, and the scopes around it, if they are not in the list yet.
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

// placeNodes sorts the nodes by scope, counts the nodes of each scope, and sets where each scope
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
