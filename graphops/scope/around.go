package scope

// tellByNeighbours gives every node without a scope the one that holds what comes
// before it and what comes after it. One walk along the order of the graph brings
// what comes before, one against it what comes after; in a graph that is not in
// order, an edge that points back brings nothing.
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

// between is the scope of a node with these before and after it. Where one side is
// open, as at the inputs and outputs of the graph, the node is beside the other, not
// inside, unless it makes constants for it.
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

// scopeOr is the scope that a node told, or else what a walk found for it.
func (b *builder) scopeOr(n int, found []ID) ID {
	if b.of[n] != none {
		return b.of[n]
	}
	return found[n]
}

// join is the innermost scope that holds both, of which either may be none.
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
