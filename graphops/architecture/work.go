package architecture

import (
	"slices"

	"lathe/graphops"
)

// Work is a part of the work for a token.
type Work uint8

// The parts of the work. OtherWork is the zero value.
const (
	OtherWork   Work = iota
	Attention        // the products for queries, keys and values, the attention, and the product after it
	FeedForward      // what follows the attention in a layer, or runs beside it
	Norms
	Embedding // the rows of the tokens
	Head      // the scores of the next token
	works
)

// String returns a word for the part.
func (w Work) String() string {
	return [...]string{"other", "attention", "feed-forward", "norms", "embedding", "output head"}[w]
}

// Works returns all parts, in the order in which a token passes through them.
func Works() []Work { return []Work{Embedding, Norms, Attention, FeedForward, Head, OtherWork} }

// work finds the part of each node.
func (f *finder) work(a *Architecture) {
	a.Work, a.Weights = make([]Work, len(f.nodes)), map[Work]int64{}
	if len(a.Blocks) == 0 {
		return
	}
	norm := f.normNodes()
	for i := range a.Blocks {
		for _, nodes := range f.found.Parts[a.Blocks[i].Part].Nodes {
			f.divide(a.Work, nodes, norm)
		}
	}
	for i, is := range norm {
		if is {
			a.Work[i] = Norms
		}
	}
	f.ends(a)
	f.weigh(a)
}

// ends marks the embedding and the output head.
func (f *finder) ends(a *Architecture) {
	_, gather := f.embedding()
	_, head := f.head()
	for i, n := range f.nodes {
		switch n {
		case gather:
			a.Work[i] = Embedding
		case head:
			a.Work[i] = Head
			for _, id := range f.x.Makes(i) {
				f.after(a.Work, id)
			}
		}
	}
}

// after marks what only follows the output head.
func (f *finder) after(work []Work, id graphops.ValueID) {
	for range maxHops {
		readers := f.x.Readers(id)
		if len(readers) != 1 || work[readers[0]] != OtherWork {
			return
		}
		work[readers[0]] = Head
		made := f.x.Makes(int(readers[0]))
		if len(made) == 0 {
			return
		}
		id = made[0]
	}
}

// divide divides a layer. What its attentions are computed from, and what follows them up to a
// normalization, is attention. The rest is the feed-forward part.
func (f *finder) divide(work []Work, nodes []int32, norm []bool) {
	inside := map[int32]bool{}
	var cores []int32
	for _, i := range nodes {
		inside[i] = true
		if n := f.nodes[i]; attends(n) || n.StandardOp() == "Softmax" && !f.choosesExperts(n) {
			cores = append(cores, i)
			if p := f.weighing(i); p >= 0 && !attends(n) {
				cores = append(cores, p)
			}
		}
	}
	if len(cores) == 0 {
		return
	}
	before := f.walk(cores, inside, nil, f.makers)
	after := f.walk(cores, inside, norm, f.readers)
	for _, i := range nodes {
		work[i] = FeedForward
		if before[i] || after[i] {
			work[i] = Attention
		}
	}
	if !slices.ContainsFunc(nodes, func(i int32) bool { return norm[i] }) {
		f.untilProduct(work, nodes, after)
	}
}

// weighing returns the product of a Softmax with values, or -1. Values are computed beside the scores.
func (f *finder) weighing(softmax int32) int32 {
	at := softmax
	for range maxHops {
		read := f.readers(at)
		if len(read) == 0 {
			return -1
		}
		at = read[len(read)-1]
		for _, r := range read {
			if _, ok := weightOf[f.nodes[r].OpType()]; ok || f.nodes[r].Is("Einsum") {
				return r
			}
		}
	}
	return -1
}

// choosesExperts reports whether a Softmax is that of a router: its values come from a product with
// weights, or a TopK reads it.
func (f *finder) choosesExperts(n *graphops.Node) bool {
	if m := f.before(f.in(n, 0)); m != nil {
		if at, ok := weightOf[m.OpType()]; ok && f.stored(f.in(m, at)) != nil {
			return true
		}
	}
	return false
}

// untilProduct ends an attention with the first product with weights after it, in a layer whose
// normalizations are not known.
func (f *finder) untilProduct(work []Work, nodes []int32, after map[int32]bool) {
	var products []int32
	for _, i := range nodes {
		if at, ok := weightOf[f.nodes[i].OpType()]; ok && after[i] && f.stored(f.in(f.nodes[i], at)) != nil {
			products = append(products, i)
		}
	}
	if len(products) < 2 {
		return
	}
	inside := map[int32]bool{}
	for _, i := range nodes {
		inside[i] = after[i]
	}
	for i := range f.walk(products[:1], inside, nil, f.readers) {
		if i != products[0] {
			work[i] = FeedForward
		}
	}
}

// walk returns the nodes that are reached from some, by steps within a set that do not enter stops.
func (f *finder) walk(from []int32, inside map[int32]bool, stops []bool, step func(i int32) []int32) map[int32]bool {
	seen := map[int32]bool{}
	next := slices.Clone(from)
	for len(next) > 0 {
		i := next[len(next)-1]
		next = next[:len(next)-1]
		if seen[i] || !inside[i] || stops != nil && stops[i] {
			continue
		}
		seen[i] = true
		next = append(next, step(i)...)
	}
	return seen
}

// makers returns the nodes that make what a node reads.
func (f *finder) makers(i int32) (out []int32) {
	for _, id := range f.x.Reads(int(i)) {
		if p := f.x.Producer(id); p >= 0 {
			out = append(out, int32(p))
		}
	}
	return out
}

// readers returns the nodes that read what a node makes.
func (f *finder) readers(i int32) (out []int32) {
	for _, id := range f.x.Makes(int(i)) {
		out = append(out, f.x.Readers(id)...)
	}
	return out
}

// weigh adds up the stored tensors that the parts read for one token. Of a table only rows are read.
func (f *finder) weigh(a *Architecture) {
	seen := map[*graphops.Tensor]bool{}
	for _, w := range Works() {
		for i, n := range f.nodes {
			if a.Work[i] != w {
				continue
			}
			looks := n.Is("Gather") || n.OpType() == "GatherBlockQuantized" && graphops.NormalDomain(n.Domain()) == graphops.MicrosoftDomain
			for nth := range n.Inputs() {
				t := f.stored(f.in(n, nth))
				if t == nil || seen[t] && !looks {
					continue
				}
				size, err := t.ByteLen()
				if d := f.dims(f.place, n.Inputs()[nth]); looks && len(d) > 0 && nth != 1 {
					size /= max(number(d[0]), 1)
				} else {
					seen[t] = true
				}
				if err == nil {
					a.Weights[w] = sum(a.Weights[w], size)
				}
			}
		}
	}
}
