package scope

// tellByNeighbours gives each node without a scope the one that contains both what comes before it
// and what comes after it. One pass in graph order collects what comes before, and one in the
// opposite direction what comes after. If a graph is not in order, backward edges contribute
// nothing.
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

// between returns the scope of a node given those before and after it. If one side is missing, as
// at the inputs and outputs of the graph, the node is put next to the other scope, not inside,
// unless it produces constants for it.
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

// scopeOr returns the scope that a node itself gives, or else the one that a pass found.
func (b *builder) scopeOr(n int, found []ID) ID {
	if b.of[n] != none {
		return b.of[n]
	}
	return found[n]
}

// join returns the innermost scope that contains both; either may be none.
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
