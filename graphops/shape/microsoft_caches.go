package shape

import "lathe/graphops/dim"

// grouped are the sizes of an attention whose keys and values have fewer heads than its queries.
type grouped struct {
	heads, kvHeads dim.Dim
	head           dim.Dim // of one query or key
	width          dim.Dim // of all queries
}

// groups returns the sizes of queries that are a separate input or, if there is no key input, are
// in the same rows as keys and values.
func (c *call) groups() grouped {
	g := grouped{heads: c.positive("num_heads"), kvHeads: c.positive("kv_num_heads")}
	width := c.extent(0, -1)
	if c.has(1) {
		g.width, g.head = width, c.portion(0, width, g.heads)
		return g
	}
	all := g.heads.Add(g.kvHeads.Mul(dim.Number(2)))
	g.head = c.portion(0, width, all)
	g.width = g.head.Mul(g.heads)
	return g
}

// alignHeads demands that the size of a head is a multiple of 8, or of 16 with rotary embeddings.
func (c *call) alignHeads(g grouped) {
	by := int64(8)
	if c.attrInt("do_rotary", 0) != 0 {
		by = 16
	}
	c.partsInto(0, g.head, dim.Number(by))
}

// groupQuery is the rule of GroupQueryAttention. Its caches grow by the new keys, or already have
// room for them. Which of these applies depends on the total length, which is known only in a run.
func groupQuery(c *call) {
	c.rankIn(0, 3)
	g := c.groups()
	c.alignHeads(g)
	b, s := c.agree(0, 0, 1, 0), c.extent(0, 1)
	added := s
	if c.has(1) {
		added = c.agree(1, 1, 2, 1)
		c.agree(0, 0, 2, 0)
		c.agree(1, 2, 2, 2)
		c.note(c.axisSource(1, 2), Source{g.head.Mul(g.kvHeads), 0, -1}, Equals, "")
		c.note(c.axisSource(0, 1), c.axisSource(1, 1), Equals, "")
	}
	c.samePast(3)
	c.continued(g, b, s)
	if len(c.dims(5)) > 0 {
		c.agree(0, 0, 5, 0)
	}
	c.outDims(0, []dim.Dim{b, s, g.width})
	total := c.single(6)
	if !c.has(3) {
		total = c.demand(Source{added, 0, -1}, Source{total, 6, -1})
	}
	for o := 1; o <= 2; o++ {
		c.outDims(o, c.grownCache(2+o, g, b, total))
		if !c.has(2+o) && o < len(c.out) {
			c.out[o].Elem = c.elem(0)
		}
	}
	c.outDims(3, []dim.Dim{b, g.heads, s, total})
}

// continued records the demands for a sequence that continues the one in the cache. Whether it
// does, or the cache only has room for it, depends on the total length, which is known only in a
// run.
func (c *call) continued(g grouped, b, s dim.Dim) {
	total := c.extent(3, 2).Add(s)
	sliding := c.attrInt("sliding_window_cache", 0) != 0
	c.tolerate(func() {
		if !sliding {
			c.note(Source{c.single(6), 6, -1}, Source{total, 3, -1}, Equals, "the total length is the length of the cache plus the number of new steps")
		}
		past := total.Sub(s).Add(dim.Number(1))
		c.note(Source{b.Min(s).Min(past), 0, -1}, Source{dim.Number(1), -1, -1}, AtMost, "a prompt after a filled cache must be a single sequence: %s is at most %s")
		c.biasOver(10, b, s, total)
	})
	if window := c.attrInt("local_window_size", -1); sliding && window > 0 {
		c.atLeast(c.axisSource(3, 2), dim.Number(window), "local_window_size is %s; the cache has room for %s")
	}
	for _, table := range []int{7, 8} {
		c.rotatedBy(table, g, s, total)
	}
	if len(c.dims(9)) == 2 {
		c.agree(0, 0, 9, 0)
		c.atLeast(c.axisSource(9, 1), s, "")
	}
}

// rotatedBy demands that a table of angles has blocks of 8 for at most half of a head, and a row
// for each step, including the steps in the cache.
func (c *call) rotatedBy(table int, g grouped, s, total dim.Dim) {
	if c.attrInt("do_rotary", 0) == 0 {
		return
	}
	width := c.axisSource(table, 1)
	c.partsInto(table, width.Size, dim.Number(8))
	c.note(Source{width.Size.Mul(dim.Number(2)), table, -1}, Source{g.head, 0, -1}, AtMost, "")
	rows := c.axisSource(table, 0)
	c.atLeast(rows, s, rowsThere)
	c.atLeast(rows, c.single(6), rowsThere)
	c.tolerate(func() { c.atLeast(rows, total, rowsThere) })
}

// biasOver demands that a bias on scores has an element for each query and each key.
func (c *call) biasOver(i int, b, s, total dim.Dim) {
	if len(c.dims(i)) != 4 {
		return
	}
	c.noteSpread(c.axisSource(i, 0), b)
	c.noteSpread(c.axisSource(i, 1), c.positive("num_heads"))
	c.note(c.axisSource(i, 2), Source{s, 0, -1}, Equals, "")
	c.note(c.axisSource(i, 3), Source{total, i, -1}, Equals, "")
}

func (c *call) grownCache(past int, g grouped, b, total dim.Dim) []dim.Dim {
	if !c.has(past) {
		return []dim.Dim{b, g.kvHeads, total, g.head}
	}
	p := c.rankIn(past, 4)
	if p == nil {
		return p
	}
	heads := c.holds(past, 1, "kv_num_heads", g.kvHeads)
	c.note(Source{p[3], past, 3}, Source{g.head, past, -1}, Equals, "")
	if c.attrInt("sliding_window_cache", 0) != 0 {
		c.agree(0, 0, past, 0)
		return p
	}
	return []dim.Dim{c.agree(0, 0, past, 0), heads, p[2].Max(total), p[3]}
}

func sparseAttention(c *call) {
	c.rankIn(0, 3)
	g := c.groups()
	c.atLeast(c.axisSource(3, 2), c.extent(0, 1), cacheHolds)
	c.outDims(0, []dim.Dim{c.agree(0, 0, 3, 0), c.extent(0, 1), g.width})
	copies(1, 3, 2, 4)(c)
}

func pagedAttention(c *call) {
	c.rankIn(0, 2)
	g := c.groups()
	width := g.width
	if n := c.attrInt("v_head_size", 0); n > 0 {
		width = g.heads.Mul(dim.Number(n))
	}
	c.outDims(0, []dim.Dim{c.extent(0, 0), width})
	copies(1, 3, 2, 4)(c)
}
