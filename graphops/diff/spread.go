package diff

import "container/heap"

// level says how well two nodes correspond. Candidates of a lower level are joined first.
type level int32

const (
	levelSame     level = iota // same label, and same computation or same use
	levelLabel                 // one label
	levelOperator              // one operator
	levelGuess                 // one of several similar readers of a value
	levelPlace                 // another operator in the same position of the graph
	levelNever
)

// candidate is a pair of nodes that may be the same, because they have partners as neighbours.
type candidate struct {
	i, j  int32
	level level
	score int32
	guess bool // other evidence comes first
}

// candidates is a heap of candidates with the most likely one first.
type candidates []candidate

func (c candidates) Len() int      { return len(c) }
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c candidates) Less(i, j int) bool {
	x, y := c[i], c[j]
	switch {
	case x.level != y.level:
		return x.level < y.level
	case x.score != y.score:
		return x.score > y.score
	case x.i != y.i:
		return x.i < y.i
	default:
		return x.j < y.j
	}
}
func (c *candidates) Push(x any) { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	old := *c
	x := old[len(old)-1]
	*c = old[:len(old)-1]
	return x
}

// contextStride is the number of steps between two checks whether the context is cancelled.
const contextStride = 1 << 12

// spread joins candidates of at most the level limit, the most likely first, until none is left.
// Each join adds new candidates, and evidence for existing ones.
func (p *pairing) spread(limit level) error {
	later := p.later
	p.later = nil
	for _, c := range later {
		p.propose(c.i, c.j, c.guess)
	}
	for n := 0; len(p.open) > 0; n++ {
		if n%contextStride == 0 {
			if err := p.ctx.Err(); err != nil {
				return err
			}
		}
		c := heap.Pop(&p.open).(candidate)
		if !p.isOpen(c.i, c.j) {
			continue
		}
		now := p.judge(c.i, c.j, c.guess)
		switch {
		case now.level == levelNever:
		case now.level > limit:
			p.later = append(p.later, now)
		case now.level > c.level || now.level == c.level && now.score < c.score:
			heap.Push(&p.open, now)
		default:
			how := ByNeighbours
			if p.trusted && p.sameName(c.i, c.j) {
				how = ByName
			}
			p.join(c.i, c.j, how)
		}
	}
	return nil
}

func (p *pairing) propose(i, j int32, guess bool) {
	if !p.isOpen(i, j) {
		return
	}
	if c := p.judge(i, j, guess); c.level < levelNever {
		heap.Push(&p.open, c)
	}
}

// proposeProducers makes the nodes that produce the same inputs of two partners candidates.
func (p *pairing) proposeProducers(i, j int32) {
	as, bs := p.a.inputs[i], p.b.inputs[j]
	for k := range min(len(as), len(bs)) {
		p.proposeMakers(as[k], bs[k])
	}
	if len(as) == 2 && len(bs) == 2 && isCommutative(p.a.graph.Nodes()[i]) {
		p.proposeMakers(as[0], bs[1])
		p.proposeMakers(as[1], bs[0])
	}
}

func (p *pairing) proposeMakers(v, w int32) {
	if v >= 0 && w >= 0 && p.a.producer[v] >= 0 && p.b.producer[w] >= 0 && p.a.slot[v] == p.b.slot[w] {
		p.propose(p.a.producer[v], p.b.producer[w], false)
	}
}

// maxProduct is the maximum number of pairs of readers. If there are at most that many, each
// becomes a candidate.
const maxProduct = 256

// proposeReaders makes the readers of two partners candidates. If there are too many pairs, only
// readers with the same operator or label become candidates.
func (p *pairing) proposeReaders(v, w int32) {
	as, bs := p.openUses(p.a, v, p.nodeA), p.openUses(p.b, w, p.nodeB)
	if len(as)*len(bs) <= maxProduct {
		p.proposePairs(as, bs)
		return
	}
	for _, key := range []func(*side, use) hash{
		func(s *side, u use) hash { return mixAll(s.ops[u.node], hash(u.position)) },
		func(s *side, u use) hash { return mixAll(s.label[u.node], hash(u.position), s.downFull[u.node]) },
	} {
		of := map[hash][]use{}
		for _, u := range bs {
			h := key(p.b, u)
			of[h] = append(of[h], u)
		}
		mine := map[hash][]use{}
		var order []hash
		for _, u := range as {
			h := key(p.a, u)
			if mine[h] == nil {
				order = append(order, h)
			}
			mine[h] = append(mine[h], u)
		}
		for _, h := range order {
			x, y := mine[h], of[h]
			if len(x)*len(y) <= maxProduct {
				p.proposePairs(x, y)
				continue
			}
			for k := range min(len(x), len(y)) {
				p.propose(x[k].node, y[k].node, true)
			}
		}
	}
}

func (p *pairing) proposePairs(as, bs []use) {
	for _, x := range as {
		for _, y := range bs {
			if x.position == y.position || isCommutative(p.a.graph.Nodes()[x.node]) {
				p.propose(x.node, y.node, p.isGuess(x, y, as, bs))
			}
		}
	}
}

// isGuess reports whether other readers are as similar to x or y as these are to each other. It is
// then better to start from the outputs, because a value may have many readers but an input is one
// value.
func (p *pairing) isGuess(x, y use, as, bs []use) bool {
	if len(as) == 1 && len(bs) == 1 || p.a.up[x.node] == p.b.up[y.node] {
		return false
	}
	a, b := p.a.ops, p.b.ops
	for _, keys := range [][2][]hash{{p.a.downFull, p.b.downFull}, {p.a.down, p.b.down}, {p.a.label, p.b.label}} {
		if keys[0][x.node] == keys[1][y.node] {
			a, b = keys[0], keys[1]
			break
		}
	}
	alike := func(list []use, keys []hash, u use) (n int) {
		for _, other := range list {
			if other.position == u.position && keys[other.node] == keys[u.node] && other.node != u.node {
				n++
			}
		}
		return n
	}
	return alike(as, a, x)+alike(bs, b, y) > 0
}

func (p *pairing) openUses(s *side, v int32, partner []int32) []use {
	var out []use
	for _, u := range s.usesOf(v) {
		if partner[u.node] == none {
			out = append(out, u)
		}
	}
	return out
}
