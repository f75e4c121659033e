package scope

// tellByNeighbours gives each node without a scope a scope derived from the nodes before and after
// it: the innermost one that contains both. One pass in graph order collects the scopes before each
// node, and another one in the opposite order those after it. If the nodes of a graph are not in
// executable order, edges that point backward are ignored.
func (b *builder) tellByNeighbours() {
	before, after := nowhere(len(b.of)), nowhere(len(b.of))
	for n := range b.of {
		at := b.scopeOr(n, before)
		for _, v := range b.made.of(n) {
			for _, r := range b.index.Readers(v) {
				before[r] = b.join(before[r], at)
			}
		}
	}
	for n := len(b.of) - 1; n >= 0; n-- {
		for _, v := range b.made.of(n) {
			for _, r := range b.index.Readers(v) {
				after[n] = b.join(after[n], b.scopeOr(int(r), after))
			}
		}
	}
	for n := range b.of {
		if b.of[n] != none {
			continue
		}
		if b.of[n] = b.between(before[n], after[n], b.live[n]); b.of[n] != none {
			b.source[n] = Around
		}
	}
}

// between returns the scope of a node, given the scope before it and the scope after it. If one of
// them is missing, as at the inputs and outputs of the graph, the result is the parent of the other
// one. If live is false, the node produces a constant, which is put into the scope that reads it.
func (b *builder) between(before, after ID, live bool) ID {
	if before != none && after != none || !live {
		return b.join(before, after)
	}
	at := b.join(before, after)
	if at == none || at == Root {
		return at
	}
	return b.scopes[at].parent
}

// scopeOr returns the scope of node n if it is known from the node itself. Otherwise it returns the
// scope that a pass found for it.
func (b *builder) scopeOr(n int, found []ID) ID {
	if b.of[n] != none {
		return b.of[n]
	}
	return found[n]
}

// join returns the innermost scope that contains x and y. If one of them is none, it returns the
// other.
func (b *builder) join(x, y ID) ID {
	switch {
	case x == none:
		return y
	case y == none:
		return x
	}
	for x != y {
		if b.scopes[x].depth >= b.scopes[y].depth {
			x = b.scopes[x].parent
		} else {
			y = b.scopes[y].parent
		}
	}
	return x
}

func nowhere(n int) []ID {
	out := make([]ID, n)
	for i := range out {
		out[i] = none
	}
	return out
}
