package architecture

import (
	"math"
	"math/bits"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/roles"
)

// sizeCaches computes what the caches take.
func (f *finder) sizeCaches(a *Architecture, at places) {
	batch := f.batch()
	for i := range a.Caches {
		c := &a.Caches[i]
		if h := at.homes[i]; h != nowhere {
			c.complete(a, h)
		}
		c.count(batch)
		if c.Per != Position {
			c.Beyond = 0
		}
	}
}

// complete takes the sizes that the type of a cache does not have from its layer.
func (c *Cache) complete(a *Architecture, h home) {
	for i := range a.Blocks {
		b := &a.Blocks[i]
		if b.Part != h.part || !c.holdsHeads() {
			continue
		}
		l := b.of(h.layer)
		if c.Window == 0 {
			c.Beyond = l.Window
		}
		if c.heads == 0 {
			c.heads = l.KVHeads
			if l.KVHeads == 0 && len(c.dims) == 4 && c.Form != "GroupQueryAttention" {
				c.heads = l.Heads
			}
		}
		if c.size == 0 {
			c.size = l.HeadSize
			if c.bits > 0 {
				c.size = (l.HeadSize*c.bits + 7) / 8
			}
		}
	}
}

// batch returns the size of the batch: the first axis of the token ids, or of what stands in their
// place.
func (f *finder) batch() dim.Dim {
	main := f.m.Places()[0]
	for i := range f.ports.Inputs {
		switch in := &f.ports.Inputs[i]; in.Kind {
		case roles.IDs, roles.Embeddings, roles.Features:
			if d := f.dims(main, in.Name); len(d) > 0 {
				return d[0]
			}
		default:
		}
	}
	return dim.Unknown()
}

// count computes the bytes of one sequence.
func (c *Cache) count(batch dim.Dim) {
	width := int64(c.Elem.Bits())
	if width <= 0 || len(c.dims) == 0 {
		return
	}
	if c.holdsHeads() && c.heads > 0 && c.size > 0 {
		n := product(c.heads, c.size, width)
		if c.Content == roles.KeyAndValue {
			n = product(n, 2)
		}
		if n == math.MaxInt64 {
			return
		}
		c.settle(n/8, c.positions())
		return
	}
	if c.holdsHeads() && c.axis > 0 && c.Window == 0 && !c.isPlain(batch) {
		return
	}
	n := width
	for i, d := range c.dims {
		switch size := number(d); {
		case i == c.axis, size == 0 && d.Equal(batch):
		case size == 0 && !c.holdsHeads() && c.free() == 1:
			c.Assumed = "the only free axis of the state is that of the sequences"
		case size == 0:
			return
		default:
			n = product(n, size)
		}
	}
	if n == math.MaxInt64 {
		return
	}
	if b := number(batch); b > 1 && n%b == 0 {
		n /= b
	}
	if c.axis <= 0 && !c.holdsHeads() {
		c.Per, c.Bytes = Fixed, n/8
		return
	}
	c.settle(n/8, c.positions())
}

// isPlain reports whether the axes other than that of the positions are the batch or fixed.
func (c *Cache) isPlain(batch dim.Dim) bool {
	for i, d := range c.dims {
		if i != c.axis && number(d) == 0 && !d.Equal(batch) {
			return false
		}
	}
	return true
}

// free returns the number of axes that are not fixed.
func (c *Cache) free() (n int) {
	for _, d := range c.dims {
		if number(d) == 0 {
			n++
		}
	}
	return n
}

// positions returns the number of positions if it is fixed, otherwise 0.
func (c *Cache) positions() int64 {
	if c.Window > 0 {
		return c.Window
	}
	if c.axis > 0 && c.axis < len(c.dims) {
		return number(c.dims[c.axis])
	}
	return 0
}

// settle sets the bytes from those of a position, and the number of positions if it is fixed.
func (c *Cache) settle(each, positions int64) {
	switch {
	case positions > 0:
		c.Per, c.Bytes = Fixed, product(each, positions)
	case c.Cross:
		c.Per, c.Bytes = Encoded, each
	case c.Kind == KindPaged || c.axis <= 0:
		return
	default:
		c.Per, c.Bytes = Position, each
	}
	if c.Bytes == math.MaxInt64 {
		c.Per, c.Bytes = Unknown, 0
	}
}

// product multiplies numbers that are not negative; the largest one means more.
func product(list ...int64) int64 {
	out := int64(1)
	for _, n := range list {
		hi, lo := bits.Mul64(uint64(out), uint64(max(n, 0)))
		if hi != 0 || lo > math.MaxInt64 {
			return math.MaxInt64
		}
		out = int64(lo)
	}
	return out
}

// sum adds numbers that are not negative; the largest one means more.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Memory is what all caches of one sequence take.
type Memory struct {
	// PerPosition are the bytes of each position, Fixed those that do not depend on the length, and
	// PerEncoded those of each position of the encoder.
	PerPosition, Fixed, PerEncoded int64
	// Unknown are the inputs and outputs with a cache whose size is not known.
	Unknown []string
	// Unbounded is the number of caches that grow with the length although their layer looks back
	// only over a window.
	Unbounded int
	Assumed   []string
}

// Memory adds up the caches.
func (a *Architecture) Memory() Memory {
	var m Memory
	for i := range a.Caches {
		switch c := &a.Caches[i]; c.Per {
		case Position:
			m.PerPosition = sum(m.PerPosition, c.Bytes)
		case Encoded:
			m.PerEncoded = sum(m.PerEncoded, c.Bytes)
		case Fixed:
			m.Fixed = sum(m.Fixed, c.Bytes)
		default:
			m.Unknown = append(m.Unknown, c.name())
		}
		if a.Caches[i].Beyond > 0 {
			m.Unbounded++
		}
		if s := a.Caches[i].Assumed; s != "" {
			m.Assumed = append(m.Assumed, graphops.ShortQuoted(a.Caches[i].name())+": "+s)
		}
	}
	return m
}

// At returns the bytes of a number of sequences with a number of positions each, without what
// depends on the encoder. ok is false if they are too many.
func (m Memory) At(sequences, positions int64) (n int64, ok bool) {
	n = product(sequences, sum(m.Fixed, product(m.PerPosition, positions)))
	return n, n < math.MaxInt64
}
