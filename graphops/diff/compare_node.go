package diff

import (
	"slices"
	"strconv"

	"lathe/graphops"
)

func (c *comparer) node(d *PlaceDiff, i int) {
	j := d.nodeA[i]
	switch {
	case !d.a.isNode(i):
		return
	case j == none:
		d.Removed = append(d.Removed, i)
		return
	}
	change := NodeChange{A: i, B: int(j)}
	n, m := d.A.Graph.Nodes()[i], d.B.Graph.Nodes()[j]
	if d.a.ops[i] != d.b.ops[j] {
		change.add(Part{What: WhatOp, Old: operatorText(n), New: operatorText(m)})
	}
	c.compareAttributes(d.PlaceMatch, i, int(j), &change)
	c.compareInputs(d.PlaceMatch, i, int(j), &change)
	compareOutputs(d.PlaceMatch, i, int(j), &change)
	describe(&change, n, m)
	if len(change.Parts) == 0 {
		return
	}
	change.Follows = !slices.ContainsFunc(change.Parts, func(p Part) bool { return !p.Follows && !p.What.describes() })
	change.Describes = !slices.ContainsFunc(change.Parts, func(p Part) bool { return !p.What.describes() })
	change.Follows = change.Follows && !change.Describes
	d.Changed = append(d.Changed, change)
}

func (c *NodeChange) add(p Part) { c.Parts = append(c.Parts, p) }

func (w What) describes() bool { return w == WhatDoc || w == WhatMetadata }

func operatorText(n *graphops.Node) string {
	s := n.OpType()
	if d := n.Domain(); d != "" {
		s = d + "::" + s
	}
	if o := n.Overload(); o != "" {
		s += ":" + o
	}
	return s
}

// compareInputs adds the differences between the inputs of two nodes to change. Constants are
// compared by content if sameConstant allows it.
func (c *comparer) compareInputs(p *PlaceMatch, i, j int, change *NodeChange) {
	as, bs := p.a.inputs[i], p.b.inputs[j]
	if p.swapped(i, j) {
		c.d.Notes.Swapped++
		return
	}
	if p.a.turned[i] != p.b.turned[j] && len(as) == 2 && len(bs) == 2 && !p.sameValue(as[0], bs[0]) && !p.sameValue(as[1], bs[1]) &&
		(p.sameValue(as[0], bs[1]) || p.sameValue(as[1], bs[0])) {
		bs = []int32{bs[1], bs[0]} // a constant replaced one of them
	}
	before := len(change.Parts)
	for k := range max(len(as), len(bs)) {
		v, w := at(as, k), at(bs, k)
		if p.sameValue(v, w) || c.sameConstant(p, v, w) {
			continue
		}
		change.add(Part{
			What: WhatInput, Name: strconv.Itoa(p.a.position(i, k)),
			Old: p.a.name(v), New: p.b.name(w),
			Follows: c.follows(p, v, w),
		})
	}
	if p.a.turned[i] != p.b.turned[j] && len(change.Parts) == before {
		c.d.Notes.Swapped++
	}
}

// follows reports whether two nodes read different values v and w only because a node was added or
// removed. If both values are constants or copies of constants, these must be equal.
func (c *comparer) follows(p *PlaceMatch, v, w int32) bool {
	x, y := p.a.behind(v), p.b.behind(w)
	inA, inB := p.a.constant(x) != nil, p.b.constant(y) != nil
	switch {
	case inA && inB && !p.sameValue(x, y) && !c.sameConstant(p, x, y):
		return false
	case inA && w < 0, inB && v < 0:
		return false
	}
	return p.isLone(v, w)
}

// position returns the position in the file of input k of a node. It differs from k if turn swapped
// the inputs.
func (s *side) position(i, k int) int {
	if s.turned[i] {
		return 1 - k
	}
	return k
}

func at(list []int32, k int) int32 {
	if k < len(list) {
		return list[k]
	}
	return none
}

// swapped reports whether two nodes read the same two values in a different order, and the order
// does not matter for the operator.
func (p *PlaceMatch) swapped(i, j int) bool {
	as, bs := p.a.inputs[i], p.b.inputs[j]
	if len(as) != 2 || len(bs) != 2 || !isCommutative(p.A.Graph.Nodes()[i]) || p.a.ops[i] != p.b.ops[j] {
		return false
	}
	straight := p.sameValue(as[0], bs[0]) || p.sameValue(as[1], bs[1])
	return !straight && p.sameValue(as[0], bs[1]) && p.sameValue(as[1], bs[0])
}

// sameValue reports whether v and w are partners. A captured value is looked up in the place that
// defines it.
func (p *PlaceMatch) sameValue(v, w int32) bool {
	if v < 0 || w < 0 {
		return v == w
	}
	sa, va := p.a.origin(v)
	sb, vb := p.b.origin(w)
	if sa != p.a || sb != p.b {
		around := p.around(sa)
		return around != nil && around.b == sb && around.valueA[va] == vb
	}
	return p.valueA[v] == w
}

// isLone reports whether a node without a partner produces v or w.
func (p *PlaceMatch) isLone(v, w int32) bool {
	if v >= 0 {
		s, v := p.a.origin(v)
		if around := p.around(s); around != nil && s.producer[v] >= 0 && around.nodeA[s.producer[v]] == none {
			return true
		}
	}
	if w >= 0 {
		s, w := p.b.origin(w)
		for q := p; q != nil; q = q.outer {
			if q.b == s {
				return s.producer[w] >= 0 && q.nodeB[s.producer[w]] == none
			}
		}
	}
	return false
}

func compareOutputs(p *PlaceMatch, i, j int, change *NodeChange) {
	as, bs := p.a.outputs[i], p.b.outputs[j]
	for k := range max(len(as), len(bs)) {
		if v, w := at(as, k), at(bs, k); (v < 0) != (w < 0) && (p.a.isUsed(v) || p.b.isUsed(w)) {
			change.add(Part{What: WhatOutput, Name: strconv.Itoa(k), Old: p.a.name(v), New: p.b.name(w)})
		}
	}
}

func (s *side) isUsed(v int32) bool { return v >= 0 && s.isRead(v) }

// describe adds the differences in documentation and metadata of two nodes to change.
func describe(change *NodeChange, n, m *graphops.Node) {
	if n.Doc() != m.Doc() {
		change.add(Part{What: WhatDoc, Old: n.Doc(), New: m.Doc()})
	}
	for _, f := range compareEntries(n.Metadata(), m.Metadata(), true) {
		change.add(Part{What: WhatMetadata, Name: f.Name, Old: f.Old, New: f.New})
	}
}

// compareEntries returns the differences between two lists of properties. Keys of as come first. If a
// list has a key several times, the last value counts.
func compareEntries(as, bs []graphops.Entry, describes bool) []Field {
	values := func(list []graphops.Entry) map[string]string {
		out := map[string]string{}
		for _, e := range list {
			out[e.Key] = e.Value
		}
		return out
	}
	inA, inB := values(as), values(bs)
	var out []Field
	seen := map[string]bool{}
	for _, e := range slices.Concat(as, bs) {
		from, hadA := inA[e.Key]
		to, hadB := inB[e.Key]
		if !seen[e.Key] && (hadA != hadB || from != to) {
			out = append(out, Field{Name: e.Key, Old: from, New: to, Describes: describes})
		}
		seen[e.Key] = true
	}
	return out
}
