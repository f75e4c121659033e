package diff

import (
	"cmp"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/weights"
)

// pairOfTensors is a pair of tensors to be compared, and where they are: values v and w, or an
// attribute of nodeA and nodeB.
type pairOfTensors struct {
	place        *PlaceMatch
	v, w         int32
	nodeA, nodeB int
	attribute    string
	a, b         *constant
	begins       bool // their first bytes agree, so that they may be equal
}

// sameConstant reports whether two different values are constants whose contents are to be
// compared, and compares them. This is the case if one of them has no partner, so that it is a copy
// or a replacement of the other, or if both are equal. Otherwise, reading another constant is a
// different edge.
func (c *comparer) sameConstant(p *PlaceMatch, v, w int32) bool {
	x, y := p.a.constant(v), p.b.constant(w)
	if x == nil || y == nil {
		return false
	}
	sa, va := p.a.origin(v)
	sb, vb := p.b.origin(w)
	around := p.around(sa)
	if around == nil || around.b != sb {
		return false
	}
	lone := around.valueA[va] == none || around.valueB[vb] == none
	if !lone && !(x.full == y.full && x.whole && y.whole) {
		return false
	}
	if around.valueA[va] == none {
		c.copies[copied{sa, va}] = true
	}
	if around.valueB[vb] == none {
		c.copies[copied{sb, vb}] = true
	}
	c.constants(p, v, w, x, y)
	return true
}

// copied is a constant without a partner that was compared with a constant of the other model.
type copied struct {
	side  *side
	value int32
}

// compareConstants compares the constants of a place that are partners.
func (c *comparer) compareConstants(p *PlaceMatch) {
	for _, pair := range p.Values {
		x, y := p.a.constants[pair.A], p.b.constants[pair.B]
		if x == nil || y == nil {
			continue
		}
		if (x.node < 0) != (y.node < 0) {
			c.d.Notes.Stored++
		}
		c.constants(p, int32(pair.A), int32(pair.B), x, y)
	}
}

// lone lists the constants without a partner. It is called after all places have been compared,
// because a body may read a constant that turns out to be a copy.
func (c *comparer) lone(p *PlaceMatch) {
	if p.A == nil || p.B == nil {
		return
	}
	for v, x := range p.a.constants {
		if x != nil && p.valueA[v] == none {
			c.loneConstant(p.a, p.nodeA, int32(v), Weight{Place: p, A: graphops.ValueID(v), B: -1, NodeA: -1, NodeB: -1, DTypeA: x.dtype, DimsA: x.dims, BytesA: x.bytes})
		}
	}
	for w, y := range p.b.constants {
		if y != nil && p.valueB[w] == none {
			c.loneConstant(p.b, p.nodeB, int32(w), Weight{Place: p, A: -1, B: graphops.ValueID(w), NodeA: -1, NodeB: -1, DTypeB: y.dtype, DimsB: y.dims, BytesB: y.bytes})
		}
	}
}

func (c *comparer) loneConstant(s *side, partner []int32, v int32, w Weight) {
	w.Follows = !slices.ContainsFunc(s.usesOf(v), func(u use) bool { return partner[u.node] != none }) && len(s.interfaceOut[v]) == 0

	switch {
	case c.copies[copied{s, v}]:
		c.d.Notes.Shared++
	case !s.isRead(v):
		c.d.Notes.Unused++
	default:
		c.d.Weights = append(c.d.Weights, w)
	}
}

// constants compares two constants. If both are sparse, it compares the values and the indices.
func (c *comparer) constants(p *PlaceMatch, v, w int32, x, y *constant) {
	pair := pairOfTensors{place: p, v: v, w: w, nodeA: -1, nodeB: -1, a: x, b: y}
	if x.sparse == nil || y.sparse == nil || !sameForm(x.sparse, y.sparse) {
		c.tensors(pair)
		return
	}
	halves := [2][2]*graphops.Tensor{{x.sparse.Values(), y.sparse.Values()}, {x.sparse.Indices(), y.sparse.Indices()}}
	for _, h := range halves {
		if h[0] == nil {
			continue
		}
		pair.a, pair.b = c.heads.dense(h[0], -1), c.heads.dense(h[1], -1)
		c.tensors(pair)
	}
}

// tensors compares two tensors if their types or first bytes are sufficient for a result. Otherwise
// it adds them to the pending pairs for compareElements.
func (c *comparer) tensors(p pairOfTensors) {
	key := [2]*graphops.Tensor{p.a.dense, p.b.dense}
	if key[0] != nil && key[1] != nil {
		if c.seen[key] {
			return
		}
		c.seen[key] = true
	}
	switch {
	case p.a.dense != nil && p.a.dense == p.b.dense: // this holds even if it cannot be read
	case p.a.dense == nil || p.b.dense == nil || p.a.dtype != p.b.dtype || !slices.Equal(p.a.dims, p.b.dims):
		c.pending = append(c.pending, p)
	case p.a.err != nil || p.b.err != nil:
		c.unread(cmp.Or(p.a.err, p.b.err))
	case sameSpot(p.a.dense, p.b.dense):
	case p.a.whole && p.b.whole:
		same, err := false, error(nil)
		if p.a.head == p.b.head {
			same, err = weights.Same(c.ctx, p.a.dense, p.b.dense)
		}
		if c.unread(err); !same && err == nil {
			c.pending = append(c.pending, p)
		}
	default:
		p.begins = p.a.head == p.b.head
		c.pending = append(c.pending, p)
	}
}

// sameSpot reports whether two tensors are stored in the same bytes of the same file.
func sameSpot(x, y *graphops.Tensor) bool {
	p, errX := x.Data()
	q, errY := y.Data()
	return errX == nil && errY == nil && p.SameRange(q)
}

// compareElements reads and compares the pending pairs one after the other, as far as the options
// require.
func (c *comparer) compareElements() error {
	if c.o.whole(c.pendingBytes(true)) {
		c.o.Weights = true
	}
	total, done := c.pendingBytes(c.o.Weights), int64(0)
	for _, p := range c.pending {
		if p.begins && !p.isRead(c.o) {
			c.d.Notes.Partial++
			c.d.Notes.PartialBytes += p.a.bytes
			continue
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := c.compareTensors(p, done, total); err != nil {
			return err
		}
		done += p.bytes(c.o)
	}
	return nil
}

// pendingBytes returns the number of bytes that must be read for the pending pairs: for all of them
// if weights is set, otherwise for the small ones.
func (c *comparer) pendingBytes(weights bool) int64 {
	total := int64(0)
	for _, p := range c.pending {
		total += p.bytes(Options{Weights: weights})
	}
	return total
}

// isRead reports whether the elements of a pair are to be compared one by one.
func (p pairOfTensors) isRead(o Options) bool {
	return p.a.dense != nil && p.b.dense != nil && slices.Equal(p.a.dims, p.b.dims) && (o.Weights || p.a.whole && p.b.whole)
}

func (p pairOfTensors) bytes(o Options) int64 {
	if !p.isRead(o) {
		return 0
	}
	return p.a.bytes + p.b.bytes
}

func (c *comparer) compareTensors(p pairOfTensors, done, total int64) error {
	w := Weight{
		Place: p.place, A: graphops.ValueID(p.v), B: graphops.ValueID(p.w),
		NodeA: p.nodeA, NodeB: p.nodeB, Attribute: p.attribute,
		DTypeA: p.a.dtype, DTypeB: p.b.dtype, DimsA: p.a.dims, DimsB: p.b.dims, BytesA: p.a.bytes, BytesB: p.b.bytes,
	}
	if p.a.isShort() && p.b.isShort() {
		w.OldText, w.NewText = p.a.dense.Literal(), p.b.dense.Literal()
	}
	if p.isRead(c.o) {
		m, err := weights.Compare(c.ctx, p.a.dense, p.b.dense, func(n, _ int64) {
			if c.o.Progress != nil {
				c.o.Progress(done+n, total)
			}
		})
		switch {
		case c.ctx.Err() != nil:
			return c.ctx.Err()
		case err != nil && p.a.dtype == p.b.dtype:
			c.unread(fmt.Errorf("%q and %q: %w", p.a.dense.Name(), p.b.dense.Name(), err))
			return nil
		case err == nil && m == nil && p.a.dtype == p.b.dtype:
			return nil
		}
		w.Metrics = m
		if m != nil {
			switch w.Region, err = weights.Locate(c.ctx, p.a.dense, p.b.dense, *m, nil); {
			case c.ctx.Err() != nil:
				return c.ctx.Err()
			case err != nil:
				c.unread(fmt.Errorf("where %q and %q differ: %w", p.a.dense.Name(), p.b.dense.Name(), err))
			}
		}
	}
	c.d.Weights = append(c.d.Weights, w)
	return nil
}
