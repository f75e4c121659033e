package shape

import "lathe/graphops/dim"

// grouped are the sizes of an attention whose keys and values have fewer heads than
// its queries.
type grouped struct {
	heads, kvHeads dim.Dim
	head           dim.Dim // of one query or key
	width          dim.Dim // of all queries
}

// groups reads queries that stand alone or, where there is no key, in one row with keys
// and values.
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

// groupQuery has caches that grow by the new keys, or that have room for them already:
// which of the two it is, the total length tells, which is data.
func groupQuery(c *call) {
	c.rankIn(0, 3)
	g := c.groups()
	b, s := c.agree(0, 0, 1, 0), c.extent(0, 1)
	added := s
	if c.has(1) {
		added = c.agree(1, 1, 2, 1)
		c.agree(0, 0, 2, 0)
		c.agree(1, 2, 2, 2)
		c.note(c.axisSource(1, 2), Source{g.head.Mul(g.kvHeads), 0, -1}, Equals)
		if c.has(3) {
			c.note(c.axisSource(0, 1), c.axisSource(1, 1), Equals)
		}
	}
	c.samePast(3)
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

func (c *call) grownCache(past int, g grouped, b, total dim.Dim) []dim.Dim {
	if !c.has(past) {
		return []dim.Dim{b, g.kvHeads, total, g.head}
	}
	p := c.rankIn(past, 4)
	if p == nil || c.attrInt("sliding_window_cache", 0) != 0 {
		return p
	}
	heads := c.holds(past, 1, "kv_num_heads", g.kvHeads)
	c.note(Source{p[3], past, 3}, Source{g.head, past, -1}, Equals)
	return []dim.Dim{c.agree(0, 0, past, 0), heads, p[2].Max(total), p[3]}
}

func sparseAttention(c *call) {
	c.rankIn(0, 3)
	g := c.groups()
	c.outDims(0, []dim.Dim{c.extent(0, 0), c.extent(0, 1), g.width})
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
